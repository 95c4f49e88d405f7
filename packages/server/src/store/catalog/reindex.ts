import type { BlobTexts } from "../blobs/blob-texts.ts";
import { deleteBlobUses, insertBlobUses } from "../blobs/blob-uses.ts";
import { extractTexts } from "../blobs/searchable-texts.ts";
import type { Engine, ReadTransaction, WriteTransaction } from "../engine/engine.ts";
import { parseJsonObject, parseStoredJson } from "../engine/json.ts";
import { raw, type SqlValue, sql } from "../engine/sql.ts";
import { addWords } from "../search/indexing.ts";
import {
  type ConnectorRow,
  collectBlobFields,
  decodeColumnPlan,
  decodeSearchPlan,
  getReindexProgress,
  incrementCatalogRevision,
  type StreamRow,
} from "./catalog-rows.ts";
import { encodeColumnValues, fixedColumns, listColumns, listWrittenColumns, tableName } from "./layout.ts";
import { lockAllOwners } from "./lock-owner.ts";
import { activateManifest } from "./register.ts";

/** Fills columns, word indexes and blob uses of existing records for a pending manifest. */

const reindexBatch = 500;

/** Fills one batch of records. Returns null when nothing is left to fill. Several processes may call it at the same time. */
export async function reindexStep(
  engine: Engine,
  connectorKey: string,
): Promise<{ done: number; total: number } | null> {
  return engine.write(async (on) => {
    await lockAllOwners(on);
    const connector = await on.one<ConnectorRow>(
      sql`SELECT * FROM connector WHERE connector_key = ${connectorKey} AND pending_manifest IS NOT NULL`,
    );
    if (connector === undefined) return null;
    const row = await on.one<StreamRow>(sql`SELECT * FROM stream WHERE connector_key = ${connectorKey}
      AND reindex_after IS NOT NULL ORDER BY stream_no LIMIT 1`);
    if (row === undefined) {
      await activateManifest(on, connectorKey);
      await incrementCatalogRevision(on);
      return null;
    }
    const { filled, after } = await fillColumns(on, row, collectBlobFields(connector)(row.name));
    await on.run(sql`UPDATE stream SET reindex_after = ${after} WHERE stream_no = ${row.stream_no}`);
    await on.run(
      sql`UPDATE connector SET reindex_done = reindex_done + ${filled} WHERE connector_key = ${connectorKey}`,
    );
    const { done, total } = getReindexProgress(connector);
    return { done: done + filled, total };
  });
}

/** Extracts the blob texts that the next step will index, ahead of its transaction because parsers are slow. */
export async function extractForReindex(engine: Engine, texts: BlobTexts, connectorKey: string): Promise<void> {
  const { fields, records } = await engine.read(async (on) => {
    const row = await on.one<StreamRow>(sql`SELECT * FROM stream WHERE connector_key = ${connectorKey}
      AND reindex_after IS NOT NULL ORDER BY stream_no LIMIT 1`);
    const { blobFields = [] } = decodeSearchPlan(row?.pending_search ?? null) ?? {};
    if (row === undefined || blobFields.length === 0) return { fields: [], records: [] };
    return { fields: blobFields, records: await loadNextRecords(on, row) };
  });
  for (const { owner_no, data } of records)
    await extractTexts(engine, texts, owner_no, fields, [parseJsonObject(data)]);
}

interface StoredRow {
  readonly [column: string]: SqlValue;
  readonly owner_no: number;
  readonly connection_no: number;
  readonly key: string;
  readonly version: number;
  readonly doc: number | null;
  readonly data: string;
}

const getReindexPosition = ({ reindex_after: after }: StreamRow): [number, number, string] =>
  parseStoredJson(after || '[0, 0, ""]');

function loadNextRecords(on: ReadTransaction, row: StreamRow): Promise<StoredRow[]> {
  const [owner, connection, key] = getReindexPosition(row);
  return on.all<StoredRow>(
    sql`SELECT ${raw(fixedColumns.map(({ name }) => name).join(", "))} FROM ${raw(tableName(row.stream_no))}
      WHERE (owner_no, connection_no, key) > (${owner}, ${connection}, ${key})
      ORDER BY owner_no, connection_no, key LIMIT ${reindexBatch}`,
  );
}

async function fillColumns(
  on: WriteTransaction,
  row: StreamRow,
  blobFields: readonly string[],
): Promise<{ filled: number; after: string | null }> {
  const table = tableName(row.stream_no);
  const written = listWrittenColumns(
    decodeColumnPlan(row.columns).fields,
    decodeColumnPlan(row.pending_columns ?? row.columns).fields,
  );
  const [owner, connection, key] = getReindexPosition(row);
  const records = await loadNextRecords(on, row);
  const last = records.at(-1);
  if (last === undefined) return { filled: 0, after: null };
  await on.run(sql`DELETE FROM ${raw(table)} WHERE (owner_no, connection_no, key) > (${owner}, ${connection}, ${key})
    AND (owner_no, connection_no, key) <= (${last.owner_no}, ${last.connection_no}, ${last.key})`);
  await on.insert(
    table,
    [...fixedColumns, ...listColumns(written)],
    records.map((record) => [
      ...fixedColumns.map(({ name }) => record[name] ?? null),
      ...encodeColumnValues(written, parseJsonObject(record.data)),
    ]),
  );
  if (blobFields.length > 0) await updateBlobUses(on, row.stream_no, blobFields, records);
  await addMissingWords(on, row, records);
  return { filled: records.length, after: JSON.stringify([last.owner_no, last.connection_no, last.key]) };
}

/** Adds the words of older records to a pending index. Records written since the index was planned are in it already. */
async function addMissingWords(on: WriteTransaction, row: StreamRow, records: readonly StoredRow[]): Promise<void> {
  const plan = decodeSearchPlan(row.pending_search);
  if (plan === null || plan.name === decodeSearchPlan(row.search)?.name) return;
  const missing = records.filter(({ owner_no, version }) => version < (plan.since?.[owner_no] ?? 0));
  await addWords(
    on,
    plan,
    missing.map(({ owner_no: ownerNo, connection_no: connectionNo, version, doc, data }) => ({
      ownerNo,
      connectionNo,
      doc: doc ?? version,
      data: parseJsonObject(data),
    })),
  );
}

async function updateBlobUses(
  on: WriteTransaction,
  streamNo: number,
  fields: readonly string[],
  records: readonly StoredRow[],
): Promise<void> {
  const users = records.map((record) => ({
    ownerNo: record.owner_no,
    connectionNo: record.connection_no,
    key: record.key,
    data: parseJsonObject(record.data),
  }));
  // A connection belongs to one owner.
  for (const [connectionNo, group] of Map.groupBy(users, (user) => user.connectionNo)) {
    const keys = group.map(({ key }) => key);
    for (const ownerNo of new Set(group.map((user) => user.ownerNo))) {
      await deleteBlobUses(on, streamNo, { ownerNo, connectionNo }, keys);
    }
  }
  await insertBlobUses(on, streamNo, fields, users);
}
