import { deleteBlobUses, insertBlobUses } from "../blobs/blob-uses.ts";
import { tableName } from "../catalog/layout.ts";
import { requireRow, type WriteTransaction } from "../engine/engine.ts";
import { raw, sql } from "../engine/sql.ts";
import { deleteLinks } from "../imports/imports.ts";
import {
  type Created,
  classifyWrites,
  type IncomingRecord,
  loadStoredBatch,
  matchTarget,
  type RecordWrite,
  type StreamStatsRow,
  type Updated,
  type WriteOutcome,
  type WriteTarget,
} from "./classify-writes.ts";
import { insertLongTexts } from "./long-text.ts";
import { buildHistoryRows, buildRecordRows } from "./record-rows.ts";
import { addUpdates } from "./stream-updates.ts";
import { updateWords } from "./update-words.ts";

/** Writes a batch of records with different keys. Each change gets its own version, and what it replaces becomes history. */
export async function writeRecords(
  on: WriteTransaction,
  target: WriteTarget,
  records: readonly IncomingRecord[],
  now: number,
): Promise<WriteOutcome[]> {
  const stored = await loadStoredBatch(on, target, records);
  const writes = classifyWrites(target.stream, stored, records);
  await storeRecords(on, target, writes, now);
  await updateBlobUses(on, target, writes);
  await updateWords(on, target, writes);
  await insertLongTexts(on, target, writes.filter(isStored).map(toNewVersion));
  await updateStatistics(on, target, writes, stored.stats, now);
  return writes.map(({ outcome }) => outcome);
}

const isStored = (write: RecordWrite): write is Created | Updated =>
  write.outcome === "created" || write.outcome === "updated";

const toNewVersion = ({ version, record }: RecordWrite) => ({ version, data: record.data, text: record.text });

const listKeys = (writes: readonly RecordWrite[], ...outcomes: readonly WriteOutcome[]): string[] =>
  writes.filter(({ outcome }) => outcomes.includes(outcome)).map(({ key }) => key);

async function storeRecords(
  on: WriteTransaction,
  target: WriteTarget,
  writes: readonly RecordWrite[],
  now: number,
): Promise<void> {
  const { ownerNo, connectionNo, stream } = target;
  const table = tableName(stream.streamNo);
  const stored = writes.filter(isStored);
  if (stored.length > 0 && !stream.isBuilt) throw new Error(`stream ${stream.streamNo} has no indexes yet`);
  const history = buildHistoryRows(target, writes, now);
  await on.insert("record_history", history.columns, history.rows);
  for (const { key, version } of writes.filter(isRevival)) {
    await on.run(sql`UPDATE record_history SET until_version = ${version}, ended_at = ${now}
      WHERE ${matchTarget(target)} AND key = ${key} AND until_version IS NULL`);
  }
  const replaced = listKeys(writes, "updated", "deleted");
  if (replaced.length > 0) {
    await on.run(sql`DELETE FROM ${raw(table)} WHERE owner_no = ${ownerNo} AND connection_no = ${connectionNo}
      AND ${on.dialect.among(raw("key"), replaced)}`);
  }
  const inserted = buildRecordRows(target, stored);
  await on.insert(table, inserted.columns, inserted.rows);
  const deleted = listKeys(writes, "deleted");
  if (deleted.length > 0) await deleteLinks(on, target, deleted);
}

const isRevival = (write: RecordWrite): boolean => write.outcome === "created" && write.isRevived;

async function updateBlobUses(
  on: WriteTransaction,
  { ownerNo, connectionNo, stream: { streamNo, blobFields } }: WriteTarget,
  writes: readonly RecordWrite[],
): Promise<void> {
  if (blobFields.length === 0) return;
  const place = { ownerNo, connectionNo };
  await deleteBlobUses(on, streamNo, place, listKeys(writes, "updated", "deleted"));
  const users = writes.filter(isStored).map(({ key, record }) => ({ ...place, key, data: record.data }));
  await insertBlobUses(on, streamNo, blobFields, users);
}

async function updateStatistics(
  on: WriteTransaction,
  { ownerNo, connectionNo, stream: { streamNo } }: WriteTarget,
  writes: readonly RecordWrite[],
  stats: StreamStatsRow | undefined,
  now: number,
): Promise<void> {
  const changed = writes.filter(({ outcome }) => outcome !== "unchanged");
  if (changed.length === 0) return;
  const deleted = listKeys(writes, "deleted").length;
  const added = listKeys(writes, "created").length - deleted;
  const tombstones = deleted - writes.filter(isRevival).length;
  const changes = addUpdates(
    stats,
    changed.map(({ changedFields }) => changedFields),
    now,
  );
  const { record_count: count } = await requireRow<{ record_count: number }>(
    on,
    sql`INSERT INTO stream_stats (owner_no, stream_no, connection_no, record_count, tombstones, updated_at, changes)
    VALUES (${ownerNo}, ${streamNo}, ${connectionNo}, ${added}, ${deleted}, ${now}, ${changes})
    ON CONFLICT (owner_no, stream_no, connection_no) DO UPDATE SET record_count = stream_stats.record_count + ${added},
    tombstones = stream_stats.tombstones + ${tombstones}, updated_at = ${now}, changes = ${changes} RETURNING record_count`,
  );
  if (getSizeClass(count) > getSizeClass(count - added))
    for (const statement of on.dialect.analyze(tableName(streamNo))) await on.run(statement);
}

/** Increases each time the number of records has grown eightfold. */
const getSizeClass = (count: number): number => (count < 512 ? 0 : Math.floor(Math.log2(count) / 3));
