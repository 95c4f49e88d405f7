import type { Json, JsonObject } from "@pdpp/contract/declaration";
import { findFieldSpec, findStreamSpec, type GrantRequest, type StreamSpec, type VaultSpec } from "../spec.ts";
import { toComparable } from "./order.ts";
import type { ModelRecord, ModelState, Snapshot } from "./vault.ts";

/** The data a token may read: one `Source` per stream of each of its grants. */

export interface Source {
  readonly grantId: string;
  readonly connectorKey: string;
  readonly stream: StreamSpec;
  readonly connectionIds: readonly string[];
  readonly fields: ReadonlySet<string>;
  readonly time?: { readonly field: string; readonly since?: number; readonly until?: number };
  readonly resources?: ReadonlySet<string>;
}

export function listSources(vault: VaultSpec, request: GrantRequest, grantIds: readonly string[]): Source[] {
  return request.sources.flatMap(({ connector_key: connectorKey, streams }, i) =>
    streams.map((granted): Source => {
      const stream = findStreamSpec(vault, connectorKey, granted.name);
      const all = vault.connections
        .filter((connection) => connection.connectorKey === connectorKey)
        .map(({ id }) => id);
      const { since, until } = granted.time_range ?? {};
      return {
        grantId: grantIds[i]!,
        connectorKey,
        stream,
        connectionIds: [...(granted.connection_ids ?? all)].sort(),
        fields: new Set(granted.fields ?? stream.fields.map(({ name }) => name)),
        ...(since === undefined && until === undefined
          ? {}
          : {
              time: {
                field: stream.consentTimeField!,
                ...(since === undefined ? {} : { since: Date.parse(since) }),
                ...(until === undefined ? {} : { until: Date.parse(until) }),
              },
            }),
        ...(granted.resources === undefined ? {} : { resources: new Set(granted.resources) }),
      };
    }),
  );
}

export interface VisibleRecord extends ModelRecord {
  readonly data: JsonObject;
}

export function canSee(source: Source, record: ModelRecord | undefined): record is VisibleRecord {
  if (record === undefined || record.data === null) return false;
  if (record.connectorKey !== source.connectorKey || record.stream !== source.stream.name) return false;
  if (!source.connectionIds.includes(record.connectionId)) return false;
  if (source.resources !== undefined && !source.resources.has(record.key)) return false;
  if (source.time === undefined) return true;
  const { field, since, until } = source.time;
  const time = toComparable(findFieldSpec(source.stream, field)!.kind, record.data[field]);
  return typeof time === "number" && (since === undefined || time >= since) && (until === undefined || time < until);
}

export const listVisible = (source: Source, snapshot: Snapshot): VisibleRecord[] =>
  [...snapshot.values()].filter((record) => canSee(source, record));

/**
 * The changes of a record the grant sees: how many, and the last one. It sees a record appear, disappear, and change
 * in granted fields.
 */
export function listVisibleChanges(source: Source, record: ModelRecord): ModelState & { revision: number } {
  const showRecord = (data: JsonObject | null): string => {
    const state = { ...record, data };
    return canSee(source, state) ? JSON.stringify(projectRecord(source, state)) : "nothing";
  };
  let last: ModelState | undefined;
  let revision = 0;
  let before = "nothing";
  for (const state of record.states) {
    const now = showRecord(state.data);
    if (now !== before) {
      revision += 1;
      last = state;
    }
    before = now;
  }
  return { ...(last ?? record.states[0]!), revision };
}

/** The record's data as a response shows it. */
export function projectRecord(
  source: Source,
  record: VisibleRecord,
  fields: ReadonlySet<string> = source.fields,
): JsonObject {
  const shown = Object.entries(record.data).filter(([name]) => fields.has(name) && source.fields.has(name));
  return Object.fromEntries(
    shown.map(([name, value]) => [
      name,
      findFieldSpec(source.stream, name)?.blob ? withFetchUrl(value, record.connectionId) : value,
    ]),
  );
}

function withFetchUrl(value: Json, connectionId: string): Json {
  if (Array.isArray(value)) return value.map((item) => withFetchUrl(item, connectionId));
  if (typeof value !== "object" || value === null || typeof value.blob_id !== "string") return value;
  const url = `/v1/blobs/${encodeURIComponent(value.blob_id)}?connection_id=${encodeURIComponent(connectionId)}`;
  return { ...value, fetch_url: url };
}
