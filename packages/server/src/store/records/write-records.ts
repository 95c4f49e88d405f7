import type { JsonObject } from "@pdpp/contract/declaration";
import { deleteBlobUses, insertBlobUses } from "../blobs/blob-uses.ts";
import type { CatalogStream } from "../catalog/catalog.ts";
import { encodeColumnValue, encodeColumnValues, fixedColumns, listColumns, tableName } from "../catalog/layout.ts";
import { type Column, type Dialect, requireRow, type WriteTransaction } from "../engine/engine.ts";
import { toIndexText } from "../engine/index-text.ts";
import { joinAnd, raw, type Sql, type SqlValue, sql } from "../engine/sql.ts";
import { deleteLinks } from "../imports/imports.ts";
import { insertLongTexts } from "./long-text.ts";
import { addChange, type StoredState } from "./record-changes.ts";
import { addUpdates, type StoredUpdates } from "./stream-updates.ts";
import { getDocId, updateWords } from "./update-words.ts";

/** Writes of records: each change gets a version of its own, and what it replaces becomes history. */

export interface IncomingRecord {
  readonly key: string;
  readonly op: "upsert" | "delete";
  readonly data: JsonObject;
  /** `data` as stored. */
  readonly text: string;
  readonly emittedAt: number;
}

export type WriteOutcome = "created" | "updated" | "unchanged" | "deleted";

export interface WriteTarget {
  readonly ownerNo: number;
  readonly connectionNo: number;
  readonly stream: CatalogStream;
}

interface Held extends StoredState {
  /** What it is called in the word index, when that is not its version. */
  doc: number | null;
  key: string;
  long_key: string | null;
  data: string;
}

/** What a deleted record leaves. */
type Tombstone = StoredState & { key: string };

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
  { name: "changes", type: "text" },
  { name: "data", type: "text" },
];

/** Takes the owner's next `count` versions. It holds the owner's row until the transaction ends, so versions become visible in order. */
async function takeVersions(on: WriteTransaction, ownerNo: number, count: number): Promise<number> {
  const row = await requireRow<{ next_version: number }>(
    on,
    sql`UPDATE owner SET next_version = next_version + ${count} WHERE owner_no = ${ownerNo} RETURNING next_version`,
  );
  return row.next_version - count;
}

/** Writes a batch of records with different keys. */
export async function writeRecords(
  on: WriteTransaction,
  dialect: Dialect,
  target: WriteTarget,
  records: readonly IncomingRecord[],
  now: number,
): Promise<WriteOutcome[]> {
  const { stream } = target;
  const table = tableName(stream.streamNo);
  const firstVersion = await takeVersions(on, target.ownerNo, records.length);
  const keys = records.map(({ key }) => toIndexText(key));
  const held = await heldRecords(on, dialect, target, keys);
  const { revived, floor, stats } = await tombstonesOf(on, dialect, target, keys);

  const inserted: SqlValue[][] = [];
  const history: SqlValue[][] = [];
  const replaced: string[] = [];
  const reborn: { key: string; version: number }[] = [];
  const kinds: (readonly string[] | null)[] = [];
  const changed = new Map<string, readonly string[] | null>();
  const timeOf = consentTime(stream);
  const outcomes = records.map((record, i): WriteOutcome => {
    const key = toIndexText(record.key);
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
        row.changes,
        row.data,
      ]);
    const changesSince = (row: StoredState & { data: string | null }, data: JsonObject | null) => {
      const time = data === null ? null : timeOf(data);
      const { changes, fields } = addChange(row, timeOf, { version, emittedAt: record.emittedAt, data, time, floor });
      kinds.push(fields);
      changed.set(key, fields);
      return changes;
    };
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
        changesSince(before, null),
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
    const tombstone = revived.get(key);
    const last = before ?? (tombstone && { ...tombstone, data: null });
    if (before === undefined && tombstone !== undefined) reborn.push({ key, version });
    inserted.push([
      target.ownerNo,
      target.connectionNo,
      key,
      key === record.key ? null : record.key,
      version,
      (last?.revision ?? floor) + 1,
      record.emittedAt,
      last === undefined ? null : changesSince(last, record.data),
      before === undefined ? null : getDocId(before),
      record.text,
      ...encodeColumnValues(stream.writtenColumns, record.data),
    ]);
    if (last === undefined) kinds.push(null);
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
  await on.insert(table, [...fixedColumns, ...listColumns(stream.writtenColumns)], inserted);
  await followBlobs(on, dialect, target, records, keys, outcomes);
  const deleted = keys.filter((_, i) => outcomes[i] === "deleted");
  if (deleted.length > 0) await deleteLinks(on, dialect, target, deleted);
  const spoken = records.map(({ data }, i) => {
    const before = held.get(keys[i] ?? "");
    return {
      outcome: outcomes[i],
      data,
      before,
      version: firstVersion + i,
      changed: changed.get(keys[i] ?? "") ?? null,
    };
  });
  await updateWords(on, target, spoken);
  await insertLongTexts(on, target, writtenOf(records, firstVersion, outcomes));
  const count = await noteStatistics(on, target, outcomes, reborn.length, now, addUpdates(stats, kinds, now));
  if (sizeClass(count.after) > sizeClass(count.before)) for (const sql of dialect.analyze(table)) await on.run(sql);
  return outcomes;
}

/** The time by which grants are limited. */
function consentTime({ declaration: { consentTimeField: field }, columns }: CatalogStream) {
  const kind = field === undefined ? undefined : columns.get(field)?.kind;
  return (data: JsonObject): number | null => {
    if (field === undefined || kind === undefined || !Object.hasOwn(data, field)) return null;
    const time = encodeColumnValue(kind, data[field]);
    return typeof time === "number" ? time : null;
  };
}

const writtenOf = (records: readonly IncomingRecord[], firstVersion: number, outcomes: readonly WriteOutcome[]) =>
  records.flatMap(({ data, text }, i) =>
    outcomes[i] === "created" || outcomes[i] === "updated" ? [{ version: firstVersion + i, data, text }] : [],
  );

async function heldRecords(
  on: WriteTransaction,
  dialect: Dialect,
  target: WriteTarget,
  keys: readonly string[],
): Promise<Map<string, Held>> {
  const rows =
    await on.all<Held>(sql`SELECT key, long_key, version, revision, emitted_at, changes, doc, data FROM ${raw(tableName(target.stream.streamNo))}
    WHERE ${joinAnd([sql`owner_no = ${target.ownerNo}`, sql`connection_no = ${target.connectionNo}`, dialect.among(raw("key"), keys)])}`);
  return new Map(rows.map((row) => [row.key, row]));
}

const ofTarget = ({ ownerNo, connectionNo, stream }: WriteTarget): Sql =>
  sql`owner_no = ${ownerNo} AND stream_no = ${stream.streamNo} AND connection_no = ${connectionNo}`;

type Statistics = StoredUpdates & { tombstones: number; revision_floor: number };

/** Deleted records, so that one that comes again goes on counting; `floor` is above the revisions of those forgotten. */
async function tombstonesOf(
  on: WriteTransaction,
  dialect: Dialect,
  target: WriteTarget,
  keys: readonly string[],
): Promise<{ revived: ReadonlyMap<string, Tombstone>; floor: number; stats: Statistics | undefined }> {
  const stats = await on.one<Statistics>(
    sql`SELECT tombstones, revision_floor, updated_at, changes FROM stream_stats WHERE ${ofTarget(target)}`,
  );
  const owner = await requireRow<{ revision_floor: number }>(
    on,
    sql`SELECT revision_floor FROM owner WHERE owner_no = ${target.ownerNo}`,
  );
  const floor = Math.max(owner.revision_floor, stats?.revision_floor ?? 0);
  if (!stats?.tombstones) return { revived: new Map(), floor, stats };
  const rows = await on.all<Tombstone>(sql`SELECT key, version, revision, emitted_at, changes FROM record_history
    WHERE ${ofTarget(target)} AND ${dialect.among(raw("key"), keys)} AND until_version IS NULL`);
  return { revived: new Map(rows.map((row) => [row.key, row])), floor, stats };
}

async function followBlobs(
  on: WriteTransaction,
  dialect: Dialect,
  { ownerNo, connectionNo, stream: { streamNo, blobFields } }: WriteTarget,
  records: readonly IncomingRecord[],
  keys: readonly string[],
  outcomes: readonly WriteOutcome[],
): Promise<void> {
  if (blobFields.length === 0) return;
  const touched = keys.filter((_, i) => outcomes[i] === "updated" || outcomes[i] === "deleted");
  await deleteBlobUses(on, dialect, streamNo, { ownerNo, connectionNo }, touched);
  const users = records.flatMap(({ key, data }, i) =>
    outcomes[i] === "created" || outcomes[i] === "updated"
      ? [{ ownerNo, connectionNo, key: toIndexText(key), data }]
      : [],
  );
  await insertBlobUses(on, streamNo, blobFields, users);
}

async function noteStatistics(
  on: WriteTransaction,
  target: WriteTarget,
  outcomes: readonly WriteOutcome[],
  reborn: number,
  now: number,
  changes: string | null,
): Promise<{ before: number; after: number }> {
  const of = (outcome: WriteOutcome) => outcomes.filter((o) => o === outcome).length;
  const [created, updated, deleted] = [of("created"), of("updated"), of("deleted")];
  if (created + updated + deleted === 0) return { before: 0, after: 0 };
  const row = await requireRow<{ record_count: number }>(
    on,
    sql`INSERT INTO stream_stats (owner_no, stream_no, connection_no, record_count, tombstones, updated_at, changes)
    VALUES (${target.ownerNo}, ${target.stream.streamNo}, ${target.connectionNo}, ${created - deleted}, ${deleted}, ${now}, ${changes})
    ON CONFLICT (owner_no, stream_no, connection_no) DO UPDATE SET record_count = stream_stats.record_count + ${created - deleted},
    tombstones = stream_stats.tombstones + ${deleted - reborn}, updated_at = ${now}, changes = ${changes} RETURNING record_count`,
  );
  return { before: row.record_count - created + deleted, after: row.record_count };
}

/** It grows with every eightfold number of records. */
const sizeClass = (count: number): number => (count < 512 ? 0 : Math.floor(Math.log2(count) / 3));
