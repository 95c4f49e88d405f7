import type { ConnectorDeclaration, JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import { buildOwnerStreams } from "#server/auth/granted-streams";
import { ingest } from "#server/ingest/ingest";
import { addConnection, findConnection } from "#server/owner/connections";
import type { Condition, StreamScope } from "#server/store/access/scope";
import { listConnections } from "#server/store/catalog/connections";
import type { ListQuery } from "#server/store/records/list-query";
import { listRecords, type StoredRecord } from "#server/store/records/records";
import type { Store } from "#server/store/store";

/** A diary: the small connector of the conformance suite, in as many versions as a test needs. */

export const ownerNo = 1;
export const now = Date.parse("2026-03-01T00:00:00Z");

const text = { type: "string" };

export const diaryFields: JsonObject = {
  id: text,
  title: { type: ["string", "null"] },
  written_at: { type: ["string", "null"], format: "date-time" },
};

export function createDiary(
  stream: JsonObject = {},
  fields: JsonObject = diaryFields,
  others: JsonObject[] = [],
): ConnectorDeclaration {
  return parseManifest({
    connector_key: "diary",
    version: "1",
    streams: [
      {
        name: "entries",
        semantics: "mutable_state",
        primary_key: ["id"],
        schema: { type: "object", required: ["id"], properties: fields },
        ...stream,
      },
      ...others,
    ],
  });
}

export async function openDiary(
  store: Store,
  ids: readonly string[] = ["home"],
  declaration = createDiary(),
): Promise<void> {
  await store.register(declaration, now);
  for (const id of ids) await addConnection(store, ownerNo, { connectorKey: "diary", id }, now);
}

/** A line of an ingest: a record's data, or a deletion. */
export type Line = JsonObject | { readonly gone: string };

async function* encodeLines(lines: readonly Line[]): AsyncGenerator<Uint8Array> {
  for (const line of lines) {
    const said = "gone" in line ? { op: "delete", key: line.gone } : { data: line };
    yield Buffer.from(`${JSON.stringify(said)}\n`);
  }
}

export async function put(store: Store, connectionId: string, lines: readonly Line[], at = now, stream = "entries") {
  const connection = await findConnection(store, ownerNo, connectionId);
  return ingest(store, { ownerNo, connection, stream }, encodeLines(lines), { now: () => at });
}

/** The owner's scope of a stream, for all connections or some. */
export async function createScope(store: Store, ids?: readonly string[], stream = "entries"): Promise<StreamScope> {
  const mine = await store.engine.read((on) => listConnections(on, ownerNo));
  const wanted = ids === undefined ? mine : mine.filter(({ id }) => ids.includes(id));
  return buildOwnerStreams(ownerNo, await store.catalog(), wanted).find(
    (scope) => scope.stream.declaration.name === stream,
  )!;
}

export function createCondition(
  scope: StreamScope,
  field: string,
  operator: Condition["operator"],
  value: string | number,
): Condition {
  return { field, column: scope.stream.columns.get(field)!, operator, value };
}

export const list = (store: Store, scope: StreamScope, query: Partial<ListQuery> = {}): Promise<StoredRecord[]> =>
  store.engine.read((on) =>
    listRecords(on, scope, {
      conditions: [],
      sort: undefined,
      descending: false,
      limit: 10_000,
      ...query,
    }),
  );

export const getKeys = (records: readonly { readonly key: string }[]): string[] => records.map(({ key }) => key);

export const createEntries = (count: number, more: (n: number) => JsonObject = () => ({})): JsonObject[] =>
  Array.from({ length: count }, (_, n) => ({ id: `e${String(n).padStart(5, "0")}`, ...more(n) }));
