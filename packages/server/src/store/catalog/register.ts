import type { ConnectorDeclaration, StreamDeclaration } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import { parseStoredManifest } from "@pdpp/contract/manifest";
import type { Engine, WriteTransaction } from "../engine/engine.ts";
import { raw, sql } from "../engine/sql.ts";
import { createIndexes, dropSearch, planSearch } from "./build-stream.ts";
import {
  type ConnectorRow,
  collectBlobFields,
  decodeColumnPlan,
  decodeSearchPlan,
  encodeColumnPlan,
  incrementCatalogRevision,
  type StreamRow,
} from "./catalog-rows.ts";
import {
  buildCreateTable,
  listColumns,
  listWrittenColumns,
  planColumns,
  tableName,
  type WrittenColumn,
} from "./layout.ts";
import { lockAllOwners } from "./lock-owner.ts";

/**
 * Registers a connector, or a new manifest of one. A manifest with columns to fill stays pending until `reindex` has filled them.
 * Until then the old manifest stays active, so reads never see a partially built index.
 */
export async function registerConnector(engine: Engine, declaration: ConnectorDeclaration, now: number): Promise<void> {
  const key = declaration.connectorKey;
  const manifest = JSON.stringify(declaration.manifest);
  await engine.write(async (on) => {
    await lockAllOwners(on);
    const held = await on.one<ConnectorRow>(sql`SELECT * FROM connector WHERE connector_key = ${key}`);
    if (held?.manifest === manifest && held.pending_manifest === null) return;
    const before = held && { declaration: parseStoredManifest(held.manifest), blobFields: collectBlobFields(held) };
    if (before !== undefined) ensureSameSource(before.declaration, declaration);
    const rows = await loadStreamRows(on, key);
    let backlog = 0;
    for (const stream of declaration.streams) {
      const row = rows.get(stream.name);
      if (row === undefined) await addStream(on, key, stream);
      else backlog += await changeStream(on, row, stream, before);
    }
    if (held === undefined) {
      await on.run(
        sql`INSERT INTO connector (connector_key, manifest, registered_at) VALUES (${key}, ${manifest}, ${now})`,
      );
    } else {
      await on.run(sql`UPDATE connector SET pending_manifest = ${manifest}, reindex_total = ${backlog}, reindex_done = 0
        WHERE connector_key = ${key}`);
    }
    if (backlog === 0) await activateManifest(on, key);
    await incrementCatalogRevision(on);
  });
}

interface PreviousManifest {
  readonly declaration: ConnectorDeclaration;
  readonly blobFields: (stream: string) => string[];
}

async function loadStreamRows(on: WriteTransaction, connectorKey: string): Promise<Map<string, StreamRow>> {
  const rows = await on.all<StreamRow>(sql`SELECT * FROM stream WHERE connector_key = ${connectorKey}`);
  return new Map(rows.map((row) => [row.name, row]));
}

/** The URI identifies a source. The key may be only its last part, so two sources could share it. */
function ensureSameSource(held: ConnectorDeclaration, declaration: ConnectorDeclaration): void {
  if (held.connectorId === declaration.connectorId) return;
  throw new PdppError(
    "connector_conflict",
    `the connector key ${held.connectorKey} belongs to ${held.connectorId}, and this manifest describes ` +
      `${declaration.connectorId}; to register both, give this one a different "connector_key"`,
    { param: "connector_key" },
  );
}

async function addStream(on: WriteTransaction, connectorKey: string, stream: StreamDeclaration): Promise<void> {
  const plan = planColumns(stream, { fields: new Map(), next: 1 });
  const made = await on.one<
    Pick<StreamRow, "stream_no">
  >(sql`INSERT INTO stream (connector_key, name, columns, indexes, is_built)
    VALUES (${connectorKey}, ${stream.name}, ${encodeColumnPlan(plan)}, '[]', 0) RETURNING stream_no`);
  if (made === undefined) throw new Error(`stream ${stream.name} was not added`);
  await on.run(raw(buildCreateTable(on.dialect, made.stream_no, listWrittenColumns(plan.fields))));
}

/** Adds the columns that a new declaration needs. Returns how many stored records have columns to fill. */
async function changeStream(
  on: WriteTransaction,
  row: StreamRow,
  stream: StreamDeclaration,
  connector: PreviousManifest | undefined,
): Promise<number> {
  const records = await countStreamRecords(on, row);
  if (records > 0) ensureSamePrimaryKey(connector, stream, records);
  const before = decodeColumnPlan(row.pending_columns ?? row.columns);
  const plan = planColumns(stream, before);
  const held = listWrittenColumns(decodeColumnPlan(row.columns).fields, before.fields);
  const added = listWrittenColumns(plan.fields).filter(({ column }) => !held.some((other) => other.column === column));
  await addColumns(on, row, held, added);
  const followed = connector?.blobFields(stream.name) ?? [];
  const unfollowed = stream.fields.some(({ blob, name }) => blob && !followed.includes(name));
  const unsearched = row.is_built === 1 && (await planSearch(on, row, stream));
  const backlog = added.length > 0 || unfollowed || unsearched || row.pending_columns !== null ? records : 0;
  const columns = encodeColumnPlan(plan);
  if (row.is_built === 1 || row.pending_columns !== null || columns !== row.columns) {
    await on.run(sql`UPDATE stream SET pending_columns = ${columns}, reindex_after = ${backlog > 0 ? "" : null}
      WHERE stream_no = ${row.stream_no}`);
  }
  return backlog;
}

async function countStreamRecords(on: WriteTransaction, row: StreamRow): Promise<number> {
  if (row.is_built === 0) return 0;
  const count = await on.one<{ n: number | null }>(
    sql`SELECT CAST(SUM(record_count) AS ${raw(on.dialect.types.integer)}) AS n FROM stream_stats WHERE stream_no = ${row.stream_no}`,
  );
  return count?.n ?? 0;
}

async function addColumns(
  on: WriteTransaction,
  row: StreamRow,
  held: readonly WrittenColumn[],
  added: readonly WrittenColumn[],
): Promise<void> {
  const table = tableName(row.stream_no);
  if (added.length > 0 && row.is_built === 0 && on.dialect.name === "sqlite") {
    // SQLite rereads its whole schema for each added column, so an empty table is recreated instead.
    await on.run(raw(`DROP TABLE ${table}`));
    await on.run(raw(buildCreateTable(on.dialect, row.stream_no, [...held, ...added])));
    return;
  }
  for (const { name, type } of listColumns(added)) {
    await on.run(raw(`ALTER TABLE ${table} ADD COLUMN ${name} ${on.dialect.types[type]}`));
  }
}

function ensureSamePrimaryKey(
  connector: PreviousManifest | undefined,
  stream: StreamDeclaration,
  records: number,
): void {
  const before = connector?.declaration.streams.find((s) => s.name === stream.name);
  if (before && before.primaryKey.join("\n") !== stream.primaryKey.join("\n")) {
    throw new PdppError(
      "connector_conflict",
      `stream ${stream.name} has ${records} records with primary key ${before.primaryKey.join(", ")}, so the key cannot ` +
        `change to ${stream.primaryKey.join(", ")}; give the stream a new name, or delete its records first`,
    );
  }
}

export async function activateManifest(on: WriteTransaction, connectorKey: string): Promise<void> {
  const connector = await on.one<Pick<ConnectorRow, "manifest">>(sql`UPDATE connector
    SET manifest = COALESCE(pending_manifest, manifest), pending_manifest = NULL, reindex_total = NULL, reindex_done = NULL
    WHERE connector_key = ${connectorKey} RETURNING manifest`);
  if (connector === undefined) throw new Error(`connector ${connectorKey} is not in the catalog`);
  const rows = await loadStreamRows(on, connectorKey);
  for (const stream of parseStoredManifest(connector.manifest).streams) {
    const row = rows.get(stream.name);
    if (row === undefined) throw new Error(`stream ${stream.name} is not in the catalog`);
    const columns = row.pending_columns ?? row.columns;
    if (row.is_built === 0) {
      if (row.pending_columns === null) continue;
      await on.run(sql`UPDATE stream SET columns = ${columns}, pending_columns = NULL, reindex_after = NULL
        WHERE stream_no = ${row.stream_no}`);
      continue;
    }
    const names = await createIndexes(on, row, stream, decodeColumnPlan(columns).fields);
    const old = decodeSearchPlan(row.search);
    if (old !== null && old.name !== decodeSearchPlan(row.pending_search)?.name) await dropSearch(on, row, old);
    await on.run(sql`UPDATE stream SET columns = ${columns}, pending_columns = NULL, reindex_after = NULL,
      search = pending_search, pending_search = NULL, indexes = ${JSON.stringify(names)} WHERE stream_no = ${row.stream_no}`);
  }
}
