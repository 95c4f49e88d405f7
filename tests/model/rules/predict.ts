import type { JsonObject } from "@pdpp/contract/declaration";
import type {
  BlobRequest,
  ExportRequest,
  FetchRequest,
  FilterSpec,
  ListRequest,
  ReadRequest,
  StreamsRequest,
} from "../requests.ts";
import { findFieldSpec } from "../spec.ts";
import { predictAggregate } from "./aggregate.ts";
import {
  type ExpectedError,
  filterFaults,
  findConnectionErrors,
  getProjection,
  matchesFilter,
  resolveConnection,
  resolveSource,
} from "./checks.ts";
import { expandFaults, expandRecord, hasNumericLimits, listRelatedLinks } from "./expand.ts";
import { listVisible, type Source, type VisibleRecord } from "./grant.ts";
import { compareTexts, toComparable } from "./order.ts";
import { predictSchema } from "./schema.ts";
import { buildRecord, type Prediction, sortRecords, type World } from "./world.ts";

/** The documented rules, written as plainly as possible. Predicts the response to every REST read. */

export function predict(world: World, request: ReadRequest): Prediction {
  // Inputs are validated before the grant is consulted, so a rejection reveals nothing about it.
  const malformed: ExpectedError[] = [
    ...("limit" in request && !/^-?\d+(\.\d+)?$/.test(request.limit ?? "1")
      ? ([[400, "invalid_request"]] as const)
      : []),
    ...("expand_limit" in request && !hasNumericLimits(request) ? ([[400, "invalid_expand"]] as const) : []),
  ];
  if (malformed.length > 0) return { faults: malformed };
  switch (request.op) {
    case "list":
      return list(world, request);
    case "fetch":
      return fetch(world, request);
    case "aggregate":
      return predictAggregate(world, request);
    case "streams":
      return streams(world, request);
    case "blob":
      return blob(world, request);
    case "export":
      return exported(world, request);
    default:
      return predictSchema(world, request);
  }
}

function list(world: World, request: ListRequest): Prediction {
  const faultsIn = (source: Source) => [
    ...getProjection(source, request).faults,
    ...filterFaults(source, request.filter),
    ...expandFaults(world, source, request),
    ...getOrder(source, request).faults,
  ];
  const found = resolveSource(world, request, faultsIn);
  if ("faults" in found) return found;
  const { source } = found;
  const [projection, order, faults] = [getProjection(source, request), getOrder(source, request), faultsIn(source)];
  if (faults.length > 0) return { faults };
  const records = sortRecords(
    source,
    listVisible(source, world.snapshot).filter((record) => matchesFilter(source, request.filter, record)),
    order.descending,
  );
  const counted = request.count !== undefined && request.count !== "none";
  return {
    list: {
      records: records.map((record) => ({
        ...buildRecord(world, source, record, projection.fields),
        ...(request.expand === undefined ? {} : { expanded: expandRecord(world, source, record, request) }),
      })),
      ...pageSize(request.limit),
      unmatched: records.length > 0 ? 0 : countUnmatchedFilters(source, world, request.filter),
      count: counted ? { kind: "exact", value: records.length } : { kind: "none" },
      // A page of a whole stream has its total.
      ...(request.count === undefined && isWhole(source) && Object.keys(request.filter ?? {}).length === 0
        ? { countOfParts: { kind: "exact", value: records.length } }
        : {}),
      ...(request.window === "exact" ? { window: getWindow(source, records) } : {}),
    },
  };
}

const isWhole = ({ time, resources }: Source): boolean => time === undefined && resources === undefined;

/** One warning per exact value that no record has; one in total if each value occurs, but not together. */
function countUnmatchedFilters(source: Source, world: World, filter: FilterSpec = {}): number {
  const exact = Object.entries(filter).filter(([, wanted]) => typeof wanted === "string");
  if (exact.length === 0) return 0;
  const seen = listVisible(source, world.snapshot);
  const missing = exact.filter(
    ([name, wanted]) => !seen.some((record) => matchesFilter(source, { [name]: wanted }, record)),
  );
  const conditions = Object.values(filter).flatMap((wanted) =>
    typeof wanted === "string" ? [wanted] : Object.values(wanted),
  );
  return missing.length > 0 ? missing.length : Number(conditions.length > 1);
}

function pageSize(limit: string | undefined): { pageSize: number; clamped: boolean } {
  const asked = limit === undefined ? 25 : Math.floor(Number(limit));
  return { pageSize: asked >= 1 ? Math.min(asked, 100) : 25, clamped: asked > 100 };
}

function getOrder(source: Source, { sort, order }: ListRequest): { descending: boolean; faults: ExpectedError[] } {
  if (sort === undefined) return { descending: order !== "asc", faults: [] };
  const { cursorField } = source.stream;
  const faults: ExpectedError[] = [];
  if (sort.some((entry) => entry.replace(/^-/, "") !== cursorField)) faults.push([400, "invalid_sort"]);
  else if (!source.fields.has(cursorField!)) faults.push([403, "field_not_granted"]);
  const ways = new Set([
    ...sort.map((entry) => entry.startsWith("-")),
    ...(order === undefined ? [] : [order === "desc"]),
  ]);
  if (ways.size > 1) faults.push([400, "invalid_sort"]);
  return { descending: sort[0]!.startsWith("-"), faults };
}

function getWindow(source: Source, records: readonly VisibleRecord[]): JsonObject {
  const { consentTimeField } = source.stream;
  const total = records.length;
  if (consentTimeField === undefined || !source.fields.has(consentTimeField)) return { total };
  const kind = findFieldSpec(source.stream, consentTimeField)!.kind;
  const times = records
    .map(({ data }) => toComparable(kind, data[consentTimeField]))
    .filter((time) => typeof time === "number");
  if (times.length === 0) return { total };
  const iso = (time: number) => new Date(time).toISOString();
  return { total, earliest_at: iso(Math.min(...times)), latest_at: iso(Math.max(...times)) };
}

function fetch(world: World, request: FetchRequest): Prediction {
  const faultsIn = (source: Source) => [
    ...getProjection(source, request).faults,
    ...expandFaults(world, source, request),
  ];
  const found = resolveConnection(world, request, faultsIn);
  if ("faults" in found) return found;
  const { source } = found;
  const [projection, faults] = [getProjection(source, request), faultsIn(source)];
  if (faults.length > 0) return { faults };
  const record = listVisible(source, world.snapshot).find(({ key }) => key === request.record_id);
  if (record === undefined) return { faults: [[404, "not_found"]] };
  const isProjected = request.fields !== undefined || request.view !== undefined;
  const links = isProjected ? [] : listRelatedLinks(world, source, record);
  return {
    record: {
      ...buildRecord(world, source, record, projection.fields),
      // Undefined: the response must not have it either.
      related: (links.length === 0 ? undefined : links) as never,
      ...(request.expand === undefined ? {} : { expanded: expandRecord(world, source, record, request) }),
    },
  };
}

function streams(world: World, { connection_id: id }: StreamsRequest): Prediction {
  const faults = findConnectionErrors(world.sources, id);
  if (faults.length > 0) return { faults };
  const rows = world.sources.flatMap((source) =>
    source.connectionIds
      .filter((connectionId) => id === undefined || id === connectionId)
      .map((connectionId): JsonObject => {
        const label = world.vault.connections.find((connection) => connection.id === connectionId)?.label;
        return {
          object: "stream",
          name: source.stream.name,
          connector_key: source.connectorKey,
          connection_id: connectionId,
          connector_instance_id: connectionId,
          ...(label === undefined ? {} : { display_name: label }),
          record_count: listVisible(source, world.snapshot).filter((record) => record.connectionId === connectionId)
            .length,
        };
      }),
  );
  return { rows };
}

/**
 * Readable through a visible record that refers to it in a granted blob field; among several connections, one must be
 * named.
 */
function blob(world: World, { blob_id: blobId, connection_id: id }: BlobRequest): Prediction {
  const faults = findConnectionErrors(world.sources, id);
  if (faults.length > 0) return { faults };
  const held = world.vault.blobs.find(({ ref }) => ref.blob_id === blobId);
  const users = new Set<string>();
  for (const source of world.sources) {
    const fields = source.stream.fields.filter(({ blob, name }) => blob && source.fields.has(name));
    for (const record of listVisible(source, world.snapshot)) {
      const refers = fields.some(({ name }) =>
        [record.data[name]].flat().some((ref) => (ref as JsonObject | null | undefined)?.blob_id === blobId),
      );
      if (refers && (id === undefined || record.connectionId === id)) users.add(record.connectionId);
    }
  }
  if (held === undefined || users.size === 0) return { faults: [[404, "blob_not_found"]] };
  if (users.size > 1) return { faults: [[409, "ambiguous_connection"]] };
  return { bytes: held.bytes, mimeType: held.ref.mime_type };
}

/** Everything, by connection, stream and key. */
function exported(world: World, { stream, connection_id: id, after }: ExportRequest): Prediction {
  const named = world.sources.filter((source) => stream === undefined || source.stream.name === stream);
  if (named.length === 0) return { faults: [[403, "grant_stream_not_allowed"]] };
  const faults = findConnectionErrors(named, id);
  if (faults.length > 0) return { faults };
  type Place = Pick<VisibleRecord, "connectionId" | "stream" | "key">;
  const compare = (a: Place, b: Place): number => {
    const [x, y] = [a, b].map(({ connectionId, stream: name }) => `${connectionId}\n${name}`) as [string, string];
    return x === y ? compareTexts(a.key, b.key) : x < y ? -1 : 1;
  };
  const all = named
    .flatMap((source) => listVisible(source, world.snapshot).map((record) => ({ source, record })))
    .filter(({ record }) => id === undefined || record.connectionId === id)
    .sort((a, b) => compare(a.record, b.record));
  if (after === undefined) return { lines: all.map(({ source, record }) => buildRecord(world, source, record)) };
  const [, connectionId, name, key] = /^([^/]*)\/([^:]*):(.*)$/s.exec(after) as unknown as [
    string,
    string,
    string,
    string,
  ];
  const exports = named.some((source) => source.stream.name === name && source.connectionIds.includes(connectionId));
  if (!exports || (id !== undefined && id !== connectionId)) return { faults: [[400, "invalid_cursor"]] };
  // The record itself may be deleted by now; what follows it is the same.
  const behind = all.filter(({ record }) => compare(record, { connectionId, stream: name, key }) > 0);
  return { lines: behind.map(({ source, record }) => buildRecord(world, source, record)) };
}
