import { connectionAt, ofConnection, type ScopedConnection, type StreamScope, table } from "../access/scope.ts";
import type { Dialect, Reading } from "../engine/engine.ts";
import { indexText } from "../engine/index-text.ts";
import { all, atMost, raw, type Sql, sql, unionAll } from "../engine/sql.ts";

/** What happened to records between two versions of the vault. */

export interface ChangedRecord {
  readonly connection: ScopedConnection;
  readonly key: string;
  readonly version: number;
  readonly revision: number;
  readonly emittedAt: number;
  /** The record at the end of the span; null when it was deleted. */
  readonly after: string | null;
  readonly deletedAt: number | null;
  /** The record at the start of the span; null when it did not exist. */
  readonly before: string | null;
}

export interface Horizon {
  /** The newest version whose records can be read. */
  readonly current: number;
  /** Versions up to this one can no longer be compared with. */
  readonly pruned: number;
  /** Changes with every change of the owner's word indexes. */
  readonly indexRevision: number;
}

export async function horizon(on: Reading, ownerNo: number): Promise<Horizon> {
  const [row] = await on.allCached<{ next_version: number; pruned_version: number; index_revision: number }>(
    sql`SELECT next_version, pruned_version, index_revision FROM owner WHERE owner_no = ${ownerNo}`,
  );
  return {
    current: (row?.next_version ?? 1) - 1,
    pruned: row?.pruned_version ?? 0,
    indexRevision: row?.index_revision ?? 0,
  };
}

export interface ChangesQuery {
  readonly since: number;
  readonly upTo: number;
  /** Changes up to this version were served already. */
  readonly after: number;
  readonly limit: number;
}

interface ChangeRow {
  rank: number;
  key: string;
  long_key: string | null;
  version: number;
  revision: number;
  emitted_at: number;
  deleted_at: number | null;
  data: string | null;
}

/** Each record that changed in (since, upTo], as it was at upTo, in the order of the changes. */
export async function changedRecords(
  on: Reading,
  dialect: Dialect,
  scope: StreamScope,
  query: ChangesQuery,
): Promise<ChangedRecord[]> {
  const rows = await on.all<ChangeRow>(changesSql(dialect, scope, query));
  const before = await statesAt(on, dialect, scope, query.since, rows);
  return rows.map((row, i) => ({
    connection: connectionAt(scope, row.rank),
    key: row.long_key ?? row.key,
    version: row.version,
    revision: row.revision,
    emittedAt: row.emitted_at,
    after: row.data,
    deletedAt: row.deleted_at,
    before: before[i] ?? null,
  }));
}

function changesSql(dialect: Dialect, scope: StreamScope, { after, upTo, limit }: ChangesQuery): Sql {
  const span = sql`version > ${after} AND version <= ${upTo}`;
  const resources = scope.resources ? [dialect.among(raw("key"), scope.resources.map(indexText))] : [];
  const noTime = raw(`CAST(NULL AS ${dialect.types.number})`);
  const branches = scope.connections.flatMap((connection, i) => {
    const rank = raw(String(i));
    const here = ofConnection(scope, connection);
    return [
      sql`SELECT ${rank} AS rank, key, long_key, version, revision, emitted_at, ${noTime} AS deleted_at, data FROM ${table(scope)}
        WHERE ${all([here, span, ...resources])} ORDER BY version ${atMost(limit)}`,
      sql`SELECT ${rank} AS rank, key, long_key, version, revision, emitted_at, deleted_at, data FROM record_history
        WHERE ${all([here, sql`stream_no = ${scope.stream.streamNo}`, span, ...resources])}
        AND (until_version IS NULL OR until_version > ${upTo}) ORDER BY version ${atMost(limit)}`,
    ];
  });
  return sql`SELECT * FROM (${unionAll(branches)}) AS page ORDER BY version ${atMost(limit)}`;
}

/** What each changed record was at a version: looked up in its history, since the current version is newer. */
async function statesAt(
  on: Reading,
  dialect: Dialect,
  scope: StreamScope,
  version: number,
  rows: readonly ChangeRow[],
): Promise<(string | null)[]> {
  if (version === 0 || rows.length === 0) return [];
  const held = new Map<string, string | null>();
  for (const [rank, connection] of scope.connections.entries()) {
    const keys = rows.filter((row) => row.rank === rank).map((row) => row.key);
    if (keys.length === 0) continue;
    const found = await on.all<{ key: string; data: string | null }>(sql`SELECT key, data FROM record_history
      WHERE ${all([ofConnection(scope, connection), sql`stream_no = ${scope.stream.streamNo}`, dialect.among(raw("key"), keys)])}
      AND version <= ${version} AND (until_version IS NULL OR until_version > ${version})`);
    for (const { key, data } of found) held.set(`${rank} ${key}`, data);
  }
  return rows.map((row) => held.get(`${row.rank} ${row.key}`) ?? null);
}
