import type { JsonObject } from "@pdpp/contract/declaration";
import { forgetBlobUses, noteBlobUses } from "../blobs/blob-uses.ts";
import type { CatalogStream } from "../catalog/catalog.ts";
import { asColumns, columnValues, fixedColumns, tableName } from "../catalog/layout.ts";
import { type Column, type Dialect, theRow, type Writing } from "../engine/engine.ts";
import { indexText } from "../engine/index-text.ts";
import { all, raw, type Sql, type SqlValue, sql } from "../engine/sql.ts";
import { noteWordsRemoved } from "../search/search-sweep.ts";
import { addWords, removeWords } from "../search/word-index.ts";
import { forgetLongTexts, noteLongTexts } from "./long-text.ts";

/** Writes of records: each change gets a version of its own, and what it replaces becomes history. */

export interface IncomingRecord {
  readonly key: string;
  readonly op: "upsert" | "delete";
  readonly data: JsonObject;
  /** `data` as stored. */
  readonly text: string;
  readonly emittedAt: number;
}

export type Outcome = "created" | "updated" | "unchanged" | "deleted";

export interface WriteTarget {
  readonly ownerNo: number;
  readonly connectionNo: number;
  readonly stream: CatalogStream;
}

interface Held {
  key: string;
  long_key: string | null;
  version: number;
  revision: number;
  emitted_at: number;
  data: string;
}

const historyColumns: readonly Column[] = [
  { name: "owner_no", type: "integer" },
  { name: "stream_no", type: "integer" },
  { name: "connection_no", type: "integer" },
  { name: "key", type: "text" },
  { name: "long_key", type: "text" },
  { name: "version", type: "integer" },
  { name: "revision", type: "integer" },
  { name: "until_version", type: "integer" },
  { name: "emitted_at", type: "number" },
  { name: "ended_at", type: "number" },
  { name: "deleted_at", type: "number" },
  { name: "data", type: "text" },
];

/** Takes the owner's next `count` versions. It holds the owner's row until the transaction ends, so versions become visible in order. */
async function takeVersions(on: Writing, ownerNo: number, count: number): Promise<number> {
  const row = await theRow<{ next_version: number }>(
    on,
    sql`UPDATE owner SET next_version = next_version + ${count} WHERE owner_no = ${ownerNo} RETURNING next_version`,
  );
  return row.next_version - count;
}

/** Writes a batch of records with different keys. */
export async function writeRecords(
  on: Writing,
  dialect: Dialect,
  target: WriteTarget,
  records: readonly IncomingRecord[],
  now: number,
): Promise<Outcome[]> {
  const { stream } = target;
  const table = tableName(stream.streamNo);
  const firstVersion = await takeVersions(on, target.ownerNo, records.length);
  const keys = records.map(({ key }) => indexText(key));
  const held = await heldRecords(on, dialect, target, keys);
  const { revived, floor } = await tombstonesOf(on, dialect, target, keys);

  const inserted: SqlValue[][] = [];
  const history: SqlValue[][] = [];
  const replaced: string[] = [];
  const reborn: { key: string; version: number }[] = [];
  const outcomes = records.map((record, i): Outcome => {
    const key = indexText(record.key);
    const before = held.get(key);
    const version = firstVersion + i;
    const remember = (row: Held) =>
      history.push([
        target.ownerNo,
        stream.streamNo,
        target.connectionNo,
        key,
        row.long_key,
        row.version,
        row.revision,
        version,
        row.emitted_at,
        now,
        null,
        row.data,
      ]);
    if (record.op === "delete") {
      if (before === undefined) return "unchanged";
      remember(before);
      history.push([
        target.ownerNo,
        stream.streamNo,
        target.connectionNo,
        key,
        before.long_key,
        version,
        before.revision + 1,
        null,
        record.emittedAt,
        null,
        now,
        null,
      ]);
      replaced.push(key);
      return "deleted";
    }
    if (before !== undefined) {
      if (stream.declaration.semantics === "append_only" || before.data === record.text) return "unchanged";
      remember(before);
      replaced.push(key);
    }
    const lastRevision = before?.revision ?? revived.get(key) ?? floor;
    if (before === undefined && revived.has(key)) reborn.push({ key, version });
    inserted.push([
      target.ownerNo,
      target.connectionNo,
      key,
      key === record.key ? null : record.key,
      version,
      lastRevision + 1,
      record.emittedAt,
      record.text,
      ...columnValues(stream.written, record.data),
    ]);
    return before === undefined ? "created" : "updated";
  });

  if (inserted.length > 0 && !stream.isBuilt) throw new Error(`stream ${stream.streamNo} has no indexes yet`);
  if (history.length > 0) await on.insert("record_history", historyColumns, history);
  for (const { key, version } of reborn) {
    await on.run(sql`UPDATE record_history SET until_version = ${version}, ended_at = ${now}
      WHERE ${ofTarget(target)} AND key = ${key} AND until_version IS NULL`);
  }
  if (replaced.length > 0) {
    await on.run(sql`DELETE FROM ${raw(table)} WHERE owner_no = ${target.ownerNo} AND connection_no = ${target.connectionNo}
      AND ${dialect.among(raw("key"), replaced)}`);
  }
  await on.insert(table, [...fixedColumns, ...asColumns(stream.written)], inserted);
  await followBlobs(on, dialect, target, records, keys, outcomes);
  await followWords(on, target, records, { firstVersion, keys, outcomes, held });
  await noteLongTexts(on, target, writtenOf(records, firstVersion, outcomes));
  const count = await noteStatistics(on, target, outcomes, reborn.length, now);
  if (sizeClass(count.after) > sizeClass(count.before)) for (const sql of dialect.measure(table)) await on.run(sql);
  return outcomes;
}

interface Written {
  readonly firstVersion: number;
  readonly keys: readonly string[];
  readonly outcomes: readonly Outcome[];
  readonly held: ReadonlyMap<string, Held>;
}

/** The word indexes hold the current version of each record. */
async function followWords(
  on: Writing,
  { ownerNo, connectionNo, stream }: WriteTarget,
  records: readonly IncomingRecord[],
  { firstVersion, keys, outcomes, held }: Written,
): Promise<void> {
  const gone = keys.flatMap((key, i) => (isReplaced(outcomes[i]) ? (held.get(key)?.version ?? []) : []));
  const added = records.flatMap(({ data }, i) =>
    outcomes[i] === "created" || outcomes[i] === "updated"
      ? [{ ownerNo, connectionNo, doc: firstVersion + i, data }]
      : [],
  );
  if (gone.length > 0) await noteWordsRemoved(on, stream.streamNo);
  for (const plan of stream.indexed) {
    if (gone.length > 0) await removeWords(on, plan, { ownerNo, connectionNo }, gone);
    if (added.length > 0) await addWords(on, plan, added);
  }
}

const writtenOf = (records: readonly IncomingRecord[], firstVersion: number, outcomes: readonly Outcome[]) =>
  records.flatMap(({ data, text }, i) =>
    outcomes[i] === "created" || outcomes[i] === "updated" ? [{ version: firstVersion + i, data, text }] : [],
  );

const isReplaced = (outcome: Outcome | undefined): boolean => outcome === "updated" || outcome === "deleted";

async function heldRecords(
  on: Writing,
  dialect: Dialect,
  target: WriteTarget,
  keys: readonly string[],
): Promise<Map<string, Held>> {
  const rows =
    await on.all<Held>(sql`SELECT key, long_key, version, revision, emitted_at, data FROM ${raw(tableName(target.stream.streamNo))}
    WHERE ${all([sql`owner_no = ${target.ownerNo}`, sql`connection_no = ${target.connectionNo}`, dialect.among(raw("key"), keys)])}`);
  return new Map(rows.map((row) => [row.key, row]));
}

const ofTarget = ({ ownerNo, connectionNo, stream }: WriteTarget): Sql =>
  sql`owner_no = ${ownerNo} AND stream_no = ${stream.streamNo} AND connection_no = ${connectionNo}`;

/** Revisions of deleted records, so that one that comes again goes on counting; `floor` is the highest of those forgotten. */
async function tombstonesOf(
  on: Writing,
  dialect: Dialect,
  target: WriteTarget,
  keys: readonly string[],
): Promise<{ revived: ReadonlyMap<string, number>; floor: number }> {
  const stats = await on.one<{ tombstones: number; revision_floor: number }>(
    sql`SELECT tombstones, revision_floor FROM stream_stats WHERE ${ofTarget(target)}`,
  );
  const floor = stats?.revision_floor ?? 0;
  if (!stats?.tombstones) return { revived: new Map(), floor };
  const rows = await on.all<{ key: string; revision: number }>(sql`SELECT key, revision FROM record_history
    WHERE ${ofTarget(target)} AND ${dialect.among(raw("key"), keys)} AND until_version IS NULL`);
  return { revived: new Map(rows.map(({ key, revision }) => [key, revision])), floor };
}

async function followBlobs(
  on: Writing,
  dialect: Dialect,
  { ownerNo, connectionNo, stream: { streamNo, blobFields } }: WriteTarget,
  records: readonly IncomingRecord[],
  keys: readonly string[],
  outcomes: readonly Outcome[],
): Promise<void> {
  if (blobFields.length === 0) return;
  const touched = keys.filter((_, i) => outcomes[i] === "updated" || outcomes[i] === "deleted");
  await forgetBlobUses(on, dialect, streamNo, { ownerNo, connectionNo }, touched);
  const users = records.flatMap(({ key, data }, i) =>
    outcomes[i] === "created" || outcomes[i] === "updated"
      ? [{ ownerNo, connectionNo, key: indexText(key), data }]
      : [],
  );
  await noteBlobUses(on, streamNo, blobFields, users);
}

async function noteStatistics(
  on: Writing,
  target: WriteTarget,
  outcomes: readonly Outcome[],
  reborn: number,
  now: number,
): Promise<{ before: number; after: number }> {
  const of = (outcome: Outcome) => outcomes.filter((o) => o === outcome).length;
  const [created, updated, deleted] = [of("created"), of("updated"), of("deleted")];
  if (created + updated + deleted === 0) return { before: 0, after: 0 };
  const row = await theRow<{ record_count: number }>(
    on,
    sql`INSERT INTO stream_stats (owner_no, stream_no, connection_no, record_count, tombstones, updated_at)
    VALUES (${target.ownerNo}, ${target.stream.streamNo}, ${target.connectionNo}, ${created - deleted}, ${deleted}, ${now})
    ON CONFLICT (owner_no, stream_no, connection_no) DO UPDATE SET record_count = stream_stats.record_count + ${created - deleted},
    tombstones = stream_stats.tombstones + ${deleted - reborn}, updated_at = ${now} RETURNING record_count`,
  );
  return { before: row.record_count - created + deleted, after: row.record_count };
}

/** It grows with every eightfold number of records. */
const sizeClass = (count: number): number => (count < 512 ? 0 : Math.floor(Math.log2(count) / 3));

/**
 * Forgets what was replaced or deleted before a time; bookmarks older than that then get `cursor_expired`. Answers how many
 * versions of records that were.
 */
export async function pruneHistory(on: Writing, ownerNo: number, before: number): Promise<number> {
  await forgetTombstones(on, ownerNo, before);
  const row = await on.one<{ version: number | null }>(sql`SELECT max(until_version) AS version FROM record_history
    WHERE owner_no = ${ownerNo} AND ended_at < ${before}`);
  if (row === undefined || row.version === null) return 0;
  await on.run(
    sql`UPDATE owner SET pruned_version = ${row.version} WHERE owner_no = ${ownerNo} AND pruned_version < ${row.version}`,
  );
  await forgetLongTexts(on, ownerNo, before);
  return on.run(sql`DELETE FROM record_history WHERE owner_no = ${ownerNo} AND ended_at < ${before}`);
}

/** A key must not come again with a version it had before, so the highest version forgotten is kept for all of them. */
async function forgetTombstones(on: Writing, ownerNo: number, before: number): Promise<void> {
  const forgotten = sql`owner_no = ${ownerNo} AND ended_at IS NULL AND deleted_at < ${before}`;
  const groups = await on.all<{ stream_no: number; connection_no: number; n: number; revision: number }>(
    sql`SELECT stream_no, connection_no, count(*) AS n, max(revision) AS revision FROM record_history WHERE ${forgotten}
      GROUP BY stream_no, connection_no`,
  );
  for (const { stream_no, connection_no, n, revision } of groups) {
    await on.run(sql`UPDATE stream_stats SET tombstones = tombstones - ${n},
      revision_floor = CASE WHEN revision_floor < ${revision} THEN ${revision} ELSE revision_floor END
      WHERE owner_no = ${ownerNo} AND stream_no = ${stream_no} AND connection_no = ${connection_no}`);
  }
  await on.run(sql`DELETE FROM record_history WHERE ${forgotten}`);
}
