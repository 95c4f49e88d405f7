import {
  getConnection,
  matchConnection,
  matchVisible,
  type ScopedConnection,
  type StreamScope,
  table,
} from "../access/scope.ts";
import type { Dialect, ReadTransaction } from "../engine/engine.ts";
import { toIndexText } from "../engine/index-text.ts";
import { requireValue } from "../engine/require-value.ts";
import { joinAnd, limitRows, raw, type Sql, sql, unionAll } from "../engine/sql.ts";
import { computeVisibleChanges, type StoredState, type VisibleChanges } from "./record-changes.ts";

export interface ChangedRecord {
  readonly connection: ScopedConnection;
  readonly key: string;
  /** Of the last change visible to the scope. */
  readonly version: number;
  readonly revision: number;
  readonly emittedAt: number;
  /** The record at the end of the span; null if the scope no longer sees it. */
  readonly after: string | null;
  readonly deletedAt: number | null;
  /** The record at the start of the span; null if it did not exist. */
  readonly before: string | null;
}

export interface Horizon {
  readonly current: number;
  /** Changes since a version up to this one can no longer be computed. */
  readonly pruned: number;
  /** History that ended before this time has been pruned. */
  readonly prunedBefore: number | null;
  /** Incremented with every change of the owner's word indexes. */
  readonly indexRevision: number;
}

export async function loadHorizon(on: ReadTransaction, ownerNo: number): Promise<Horizon> {
  const [horizon] = await on.allCached<Horizon>(
    sql`SELECT next_version - 1 AS "current", pruned_version AS "pruned", pruned_before AS "prunedBefore",
      index_revision AS "indexRevision" FROM owner WHERE owner_no = ${ownerNo}`,
  );
  return requireValue(horizon, `owner ${ownerNo}`);
}

export interface ChangesQuery {
  readonly since: number;
  readonly upTo: number;
  /** Changes up to this version have been returned already. */
  readonly after: number;
  /** Fewer are returned only if there are no more. */
  readonly limit: number;
}

interface ChangeRow extends StoredState {
  rank: number;
  key: string;
  long_key: string | null;
  deleted_at: number | null;
  until_version: number | null;
}

/** Changes scanned per statement, without their records. */
const maxChangesScanned = 1000;

/**
 * The records that a scope saw change in (since, upTo], as they were at upTo, in the order of their last visible change. Skips any
 * number of changes that the scope does not see.
 */
export async function listChangedRecords(
  on: ReadTransaction,
  scope: StreamScope,
  query: ChangesQuery,
): Promise<ChangedRecord[]> {
  const found: ChangedRecord[] = [];
  let { after } = query;
  for (;;) {
    const rows = await on.all<ChangeRow>(buildChangesQuery(on.dialect, scope, { ...query, after }));
    const last = await keepLastSeen(on, scope, query.upTo, rows);
    const wanted = last.slice(0, query.limit - found.length);
    found.push(...(await attachRecords(on, scope, query, wanted)));
    if (rows.length < maxChangesScanned || found.length >= query.limit) return found;
    after = rows.at(-1)?.version ?? query.upTo;
  }
}

const columns = raw("key, long_key, version, revision, emitted_at, changes");

function buildChangesQuery(dialect: Dialect, scope: StreamScope, { after, upTo }: ChangesQuery): Sql {
  const span = sql`version > ${after} AND version <= ${upTo}`;
  const resources = scope.resources ? [dialect.among(raw("key"), scope.resources.map(toIndexText))] : [];
  const { number, integer } = dialect.types;
  const branches = scope.connections.flatMap((connection, i) => {
    const rank = raw(String(i));
    const here = matchConnection(scope, connection);
    return [
      sql`SELECT ${rank} AS rank, ${columns}, ${raw(`CAST(NULL AS ${number})`)} AS deleted_at,
        ${raw(`CAST(NULL AS ${integer})`)} AS until_version FROM ${table(scope)}
        WHERE ${joinAnd([here, span, ...resources])} ORDER BY version ${limitRows(maxChangesScanned)}`,
      sql`SELECT ${rank} AS rank, ${columns}, deleted_at, until_version FROM record_history
        WHERE ${joinAnd([here, matchStream(scope), span, ...resources])} ORDER BY version ${limitRows(maxChangesScanned)}`,
    ];
  });
  return sql`SELECT * FROM (${unionAll(branches)}) AS page ORDER BY version ${limitRows(maxChangesScanned)}`;
}

const matchStream = (scope: StreamScope): Sql => sql`stream_no = ${scope.stream.streamNo}`;
const getPlaceKey = ({ rank, key }: Pick<ChangeRow, "rank" | "key">): string => `${rank} ${key}`;

interface LastChange {
  readonly row: ChangeRow;
  readonly seen: VisibleChanges;
}

/** Keeps changes that are the last of their record visible to the scope up to a version. */
async function keepLastSeen(
  on: ReadTransaction,
  scope: StreamScope,
  upTo: number,
  rows: readonly ChangeRow[],
): Promise<LastChange[]> {
  const isLast = ({ until_version }: ChangeRow) => until_version === null || until_version > upTo;
  const getSeen = (row: StoredState & { deleted_at: number | null }) =>
    computeVisibleChanges(scope, row, row.deleted_at === null);
  const shown = rows
    .map((row) => ({ row, seen: getSeen(row) }))
    .filter(({ row, seen }) => seen.version === row.version);
  const overtaken = shown.flatMap(({ row }) => (isLast(row) ? [] : [row]));
  const later = new Map<string, VisibleChanges>();
  const noTime = raw(`CAST(NULL AS ${on.dialect.types.number})`);
  const shape = { current: sql`${columns}, ${noTime} AS deleted_at`, past: sql`${columns}, deleted_at` };
  for (const row of await loadStatesAt<StoredState & { key: string; deleted_at: number | null }>(
    on,
    scope,
    upTo,
    overtaken,
    shape,
  ))
    later.set(getPlaceKey(row), getSeen(row));
  return shown.flatMap(({ row, seen }) => {
    const atEnd = isLast(row) ? seen : later.get(getPlaceKey(row));
    return atEnd?.version === row.version ? [{ row, seen: atEnd }] : [];
  });
}

async function attachRecords(
  on: ReadTransaction,
  scope: StreamScope,
  { since, upTo }: ChangesQuery,
  changes: readonly LastChange[],
): Promise<ChangedRecord[]> {
  const rows = changes.map(({ row }) => row);
  const loadDataAt = async (version: number): Promise<Map<string, string | null>> => {
    const shape = { current: raw("key, data"), past: raw("key, data") };
    const states = await loadStatesAt<{ key: string; data: string | null }>(on, scope, version, rows, shape);
    return new Map(states.map((state) => [getPlaceKey(state), state.data]));
  };
  const [before, after] = [await loadDataAt(since), await loadDataAt(upTo)];
  return changes.map(({ row, seen }) => ({
    connection: getConnection(scope, row.rank),
    key: row.long_key ?? row.key,
    version: seen.version,
    revision: seen.revision,
    emittedAt: seen.emittedAt,
    after: seen.isThere ? (after.get(getPlaceKey(row)) ?? null) : null,
    deletedAt: row.deleted_at,
    before: before.get(getPlaceKey(row)) ?? null,
  }));
}

/** The state of each record at a version: the current record, or an entry of its history. */
async function loadStatesAt<T extends { readonly key: string }>(
  on: ReadTransaction,
  scope: StreamScope,
  version: number,
  rows: readonly Pick<ChangeRow, "rank" | "key">[],
  { current, past }: { readonly current: Sql; readonly past: Sql },
): Promise<(T & { rank: number })[]> {
  const states: (T & { rank: number })[] = [];
  for (const [rank, connection] of scope.connections.entries()) {
    const keys = [...new Set(rows.filter((row) => row.rank === rank).map((row) => row.key))];
    if (keys.length === 0) continue;
    const here = [matchConnection(scope, connection), on.dialect.among(raw("key"), keys), sql`version <= ${version}`];
    const held = await on.all<T>(sql`SELECT ${current} FROM ${table(scope)} WHERE ${joinAnd(here)}`);
    const ended = await on.all<T>(sql`SELECT ${past} FROM record_history
      WHERE ${joinAnd([...here, matchStream(scope), sql`(until_version IS NULL OR until_version > ${version})`])}`);
    states.push(...[...held, ...ended].map((state) => ({ ...state, rank })));
  }
  return states;
}

export interface RecordAt {
  readonly connection: ScopedConnection;
  readonly key: string;
  readonly version: number;
  readonly revision: number;
  readonly emittedAt: number;
  readonly data: string;
  readonly place: Place;
}

interface Place {
  readonly connectionId: string;
  readonly key: string;
}

/**
 * The records of a scope as they were at a version, by connection and key. For records that changed later, the caller must check
 * whether the scope sees the old state.
 */
export async function listRecordsAt(
  on: ReadTransaction,
  scope: StreamScope,
  { upTo, after, limit }: { readonly upTo: number; readonly after: Place | undefined; readonly limit: number },
): Promise<RecordAt[]> {
  const found: RecordAt[] = [];
  const resources = scope.resources ? [on.dialect.among(raw("key"), scope.resources.map(toIndexText))] : [];
  for (const connection of scope.connections) {
    if (after !== undefined && connection.id < after.connectionId) continue;
    const here = matchConnection(scope, connection);
    const behind = after?.connectionId === connection.id ? [sql`key > ${after.key}`] : [];
    const most = limitRows(limit - found.length);
    const rows = await on.all<StoredState & { key: string; long_key: string | null; data: string }>(
      mergePages(
        sql`SELECT ${columns}, data FROM ${table(scope)}
        WHERE ${joinAnd([here, sql`version <= ${upTo}`, ...matchVisible(scope, [], on.dialect), ...behind])} ORDER BY key ${most}`,
        // Only a few: those changed or deleted since.
        sql`SELECT ${columns}, data FROM record_history WHERE ${joinAnd([here, matchStream(scope), ...resources, ...behind])}
        AND until_version > ${upTo} AND version <= ${upTo} AND data IS NOT NULL ORDER BY ${on.dialect.withoutIndex(raw("key"))} ${most}`,
        most,
      ),
    );
    for (const row of rows) {
      const { revision, emittedAt } = computeVisibleChanges(scope, row);
      const place = { connectionId: connection.id, key: row.key };
      const { version, data } = row;
      found.push({ connection, key: row.long_key ?? row.key, version, revision, emittedAt, data, place });
    }
    if (found.length >= limit) break;
  }
  return found;
}

const mergePages = (held: Sql, ended: Sql, most: Sql): Sql =>
  sql`SELECT * FROM (${unionAll([held, ended])}) AS page ORDER BY key ${most}`;
