import type { JsonObject } from "@pdpp/contract/declaration";
import type { CatalogStream } from "../catalog/catalog.ts";
import { encodeColumnValue, tableName } from "../catalog/layout.ts";
import { requireRow, type WriteTransaction } from "../engine/engine.ts";
import { toIndexText } from "../engine/index-text.ts";
import { raw, type Sql, sql } from "../engine/sql.ts";
import { addChange, type StoredState } from "./record-changes.ts";
import type { StoredUpdates } from "./stream-updates.ts";

/** The first step of a write: what each incoming record does to the stored one. */

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

interface CurrentRecord extends StoredState {
  /** Its id in the word index, if that is not its version. */
  readonly doc: number | null;
  readonly key: string;
  readonly long_key: string | null;
  readonly data: string;
}

type Tombstone = StoredState & { readonly key: string };

export type StreamStatsRow = StoredUpdates & { readonly tombstones: number; readonly revision_floor: number };

export interface StoredBatch {
  readonly firstVersion: number;
  readonly current: ReadonlyMap<string, CurrentRecord>;
  readonly tombstones: ReadonlyMap<string, Tombstone>;
  /** New records count their revisions from here: above all revisions of pruned records. */
  readonly revisionFloor: number;
  readonly stats: StreamStatsRow | undefined;
}

interface WriteBase {
  readonly record: IncomingRecord;
  /** As stored in indexes. */
  readonly key: string;
  readonly version: number;
  /** The fields that changed; null means all of them. */
  readonly changedFields: readonly string[] | null;
}

interface Unchanged extends WriteBase {
  readonly outcome: "unchanged";
  readonly before: CurrentRecord | undefined;
}

export interface Created extends WriteBase {
  readonly outcome: "created";
  readonly before: undefined;
  readonly revision: number;
  readonly changes: string | null;
  /** A record with this key was deleted earlier. */
  readonly isRevived: boolean;
}

interface Replacement<Outcome> extends WriteBase {
  readonly outcome: Outcome;
  readonly before: CurrentRecord;
  readonly revision: number;
  readonly changes: string;
}

export type Updated = Replacement<"updated">;
type Deleted = Replacement<"deleted">;

export type RecordWrite = Unchanged | Created | Updated | Deleted;

export async function loadStoredBatch(
  on: WriteTransaction,
  target: WriteTarget,
  records: readonly IncomingRecord[],
): Promise<StoredBatch> {
  const firstVersion = await takeVersions(on, target.ownerNo, records.length);
  const isAmongKeys = on.dialect.among(
    raw("key"),
    records.map(({ key }) => toIndexText(key)),
  );
  const current = await on.all<CurrentRecord>(
    sql`SELECT key, long_key, version, revision, emitted_at, changes, doc, data FROM ${raw(tableName(target.stream.streamNo))}
      WHERE owner_no = ${target.ownerNo} AND connection_no = ${target.connectionNo} AND ${isAmongKeys}`,
  );
  const stats = await on.one<StreamStatsRow>(
    sql`SELECT tombstones, revision_floor, updated_at, changes FROM stream_stats WHERE ${matchTarget(target)}`,
  );
  const owner = await requireRow<{ revision_floor: number }>(
    on,
    sql`SELECT revision_floor FROM owner WHERE owner_no = ${target.ownerNo}`,
  );
  const tombstones =
    stats === undefined || stats.tombstones === 0
      ? []
      : await on.all<Tombstone>(sql`SELECT key, version, revision, emitted_at, changes FROM record_history
          WHERE ${matchTarget(target)} AND ${isAmongKeys} AND until_version IS NULL`);
  return {
    firstVersion,
    current: new Map(current.map((row) => [row.key, row])),
    tombstones: new Map(tombstones.map((row) => [row.key, row])),
    revisionFloor: Math.max(owner.revision_floor, stats?.revision_floor ?? 0),
    stats,
  };
}

/** Takes the owner's next `count` versions. It locks the owner's row until the transaction ends, so versions become visible in order. */
async function takeVersions(on: WriteTransaction, ownerNo: number, count: number): Promise<number> {
  const row = await requireRow<{ next_version: number }>(
    on,
    sql`UPDATE owner SET next_version = next_version + ${count} WHERE owner_no = ${ownerNo} RETURNING next_version`,
  );
  return row.next_version - count;
}

export const matchTarget = ({ ownerNo, connectionNo, stream }: WriteTarget): Sql =>
  sql`owner_no = ${ownerNo} AND stream_no = ${stream.streamNo} AND connection_no = ${connectionNo}`;

export function classifyWrites(
  stream: CatalogStream,
  stored: StoredBatch,
  records: readonly IncomingRecord[],
): RecordWrite[] {
  const getConsentTime = createConsentTimeReader(stream);
  return records.map((record, i): RecordWrite => {
    const key = toIndexText(record.key);
    const version = stored.firstVersion + i;
    const before = stored.current.get(key);
    const base = { record, key, version };
    const change = (last: StoredState & { readonly data: string | null }, data: JsonObject | null) => {
      const time = data === null ? null : getConsentTime(data);
      const state = { version, emittedAt: record.emittedAt, data, time, floor: stored.revisionFloor };
      const { changes, fields } = addChange(last, getConsentTime, state);
      return { revision: last.revision + 1, changes, changedFields: fields };
    };
    if (record.op === "delete") {
      if (before === undefined) return { ...base, outcome: "unchanged", before, changedFields: null };
      return { ...base, outcome: "deleted", before, ...change(before, null) };
    }
    if (before !== undefined) {
      const isUnchanged = stream.declaration.semantics === "append_only" || before.data === record.text;
      if (isUnchanged) return { ...base, outcome: "unchanged", before, changedFields: null };
      return { ...base, outcome: "updated", before, ...change(before, record.data) };
    }
    const tombstone = stored.tombstones.get(key);
    const first = { revision: stored.revisionFloor + 1, changes: null, changedFields: null };
    const added = tombstone === undefined ? first : change({ ...tombstone, data: null }, record.data);
    return { ...base, outcome: "created", before: undefined, isRevived: tombstone !== undefined, ...added };
  });
}

/** Reads the time that limits grants. */
function createConsentTimeReader({ declaration: { consentTimeField: field }, columns }: CatalogStream) {
  const kind = field === undefined ? undefined : columns.get(field)?.kind;
  return (data: JsonObject): number | null => {
    if (field === undefined || kind === undefined || !Object.hasOwn(data, field)) return null;
    const time = encodeColumnValue(kind, data[field]);
    return typeof time === "number" ? time : null;
  };
}
