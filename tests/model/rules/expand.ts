import type { JsonObject } from "@pdpp/contract/declaration";
import { buildPath } from "../requests.ts";
import type { RelationshipSpec } from "../spec.ts";
import type { ExpectedError } from "./checks.ts";
import { listVisible, type Source, type VisibleRecord } from "./grant.ts";
import { buildRecord, sortRecords, type World } from "./world.ts";

interface Expanding {
  readonly expand?: string[];
  readonly expand_limit?: { readonly [name: string]: string };
}

/** The related stream, under the grant that covers it for this connection. */
function findRelatedSource(
  world: World,
  source: Source,
  relationship: RelationshipSpec,
  connectionId: string,
): Source | undefined {
  return world.sources.find(
    (candidate) =>
      candidate.connectorKey === source.connectorKey &&
      candidate.stream.name === relationship.stream &&
      candidate.connectionIds.includes(connectionId),
  );
}

const maxLimit = ({ expand }: RelationshipSpec): number =>
  expand!.max_limit ?? Math.max(50, expand!.default_limit ?? 0);
const defaultLimit = (relationship: RelationshipSpec): number =>
  relationship.expand!.default_limit ?? Math.min(10, maxLimit(relationship));

export const hasNumericLimits = ({ expand_limit: limits = {} }: Expanding): boolean =>
  Object.values(limits).every((limit) => /^\d+$/.test(limit));

export function expandFaults(world: World, source: Source, request: Expanding): ExpectedError[] {
  const names = request.expand ?? [];
  const faults: ExpectedError[] = [];
  for (const name of Object.keys(request.expand_limit ?? {}))
    if (!names.includes(name)) faults.push([400, "invalid_expand"]);
  for (const name of names) {
    const relationship = source.stream.relationships.find((candidate) => candidate.name === name);
    if (relationship === undefined || relationship.expand === null) {
      faults.push([400, "invalid_expand"]);
      continue;
    }
    const related = source.connectionIds.flatMap((id) => findRelatedSource(world, source, relationship, id) ?? []);
    const holders = relationship.holder === "this" ? [source] : related;
    if (related.length === 0) faults.push([403, "insufficient_scope"]);
    else if (holders.some(({ fields }) => !fields.has(relationship.foreignKey)))
      faults.push([403, "field_not_granted"]);
    const limit = request.expand_limit?.[name];
    if (limit === undefined) continue;
    const wanted = Number(limit);
    const within = Number.isInteger(wanted) && wanted >= 1 && wanted <= maxLimit(relationship);
    if (relationship.cardinality === "has_one" || !within) faults.push([400, "invalid_expand"]);
  }
  return faults;
}

/** Related records of the same connection, under their own stream's grant, in default order. */
export function expandRecord(world: World, source: Source, record: VisibleRecord, request: Expanding): JsonObject {
  return Object.fromEntries(
    (request.expand ?? []).map((name) => {
      const relationship = source.stream.relationships.find((candidate) => candidate.name === name)!;
      const related = findRelatedSource(world, source, relationship, record.connectionId);
      const children = related === undefined ? [] : listChildren(world, related, relationship, record);
      const data = children.map((child) => buildRecord(world, related!, child));
      if (relationship.cardinality === "has_one") return [name, data[0] ?? null];
      const limit = Number(request.expand_limit?.[name] ?? defaultLimit(relationship));
      return [name, { object: "list", data: data.slice(0, limit), has_more: data.length > limit }];
    }),
  );
}

function listChildren(
  world: World,
  related: Source,
  { holder, foreignKey }: RelationshipSpec,
  record: VisibleRecord,
): VisibleRecord[] {
  const here = listVisible(related, world.snapshot).filter(({ connectionId }) => connectionId === record.connectionId);
  const keyIn = (data: JsonObject): string | null => {
    const value = data[foreignKey];
    return value === null || value === undefined ? null : String(value);
  };
  const own = holder === "this" ? keyIn(record.data) : null;
  const belongs = (child: VisibleRecord) =>
    holder === "this" ? own !== null && child.key === own : keyIn(child.data) === record.key;
  return sortRecords(related, here.filter(belongs), true);
}

/** Relationships with related records inside the grant: how many, and the URL that lists them. */
export function listRelatedLinks(world: World, source: Source, record: VisibleRecord): JsonObject[] {
  return source.stream.relationships.flatMap((relationship): JsonObject[] => {
    const related = source.connectionIds.flatMap((id) => findRelatedSource(world, source, relationship, id) ?? []);
    const holders = relationship.holder === "this" ? [source] : related;
    const { name, stream, foreignKey, cardinality } = relationship;
    if (related.length === 0 || holders.some(({ fields }) => !fields.has(foreignKey))) return [];
    const here = findRelatedSource(world, source, relationship, record.connectionId);
    const children = here === undefined ? [] : listChildren(world, here, relationship, record);
    if (children.length === 0) return [];
    const place = { stream, connection_id: record.connectionId };
    const [operation, url] =
      cardinality === "has_one"
        ? ["fetch", buildPath({ op: "fetch", ...place, record_id: children[0]!.key })]
        : ["queryRecords", buildPath({ op: "list", ...place, filter: { [foreignKey]: record.key } })];
    const count = cardinality === "has_one" ? 1 : children.length;
    return [{ relationship: name, stream, count, read: { operation, method: "GET", url } } as JsonObject];
  });
}
