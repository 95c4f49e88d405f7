import { keepStatement, replaceLastValue } from "../access/kept-statements.ts";
import {
  type Condition,
  getConnection,
  matchConnection,
  matchConnections,
  matchVisible,
  matchVisibleKey,
  type ScopedConnection,
  type StreamScope,
  table,
} from "../access/scope.ts";
import { type ReadTransaction, selectNumber } from "../engine/engine.ts";
import { toIndexText } from "../engine/index-text.ts";
import { joinAnd, limitRows, raw, sql, unionAll } from "../engine/sql.ts";
import { buildListQuery, buildMergedOrder, type ListQuery, type Position } from "./list-query.ts";
import { computeVisibleChanges, type StoredState } from "./record-changes.ts";
import { type StoredData, shortData } from "./record-data.ts";
import { findLastUpdate, type StoredUpdates } from "./stream-updates.ts";

export interface StoredRecord extends StoredData {
  readonly key: string;
  readonly revision: number;
  readonly emittedAt: number;
  readonly position: Position;
}

interface RecordRow extends StoredState {
  rank: number;
  key: string;
  long_key: string | null;
  sort_value: string | number | null;
  tie_value?: string | number | null;
  data: string | null;
}

/** One page over all the scope's connections: the first rows of each connection, by index, merged. */
export async function listRecords(on: ReadTransaction, scope: StreamScope, query: ListQuery): Promise<StoredRecord[]> {
  const rows = await on.all<RecordRow>(buildListQuery(on.dialect, scope, query));
  return rows.map((row) => decodeRecord(scope, row));
}

function decodeRecord(scope: StreamScope, row: RecordRow): StoredRecord {
  const connection = getConnection(scope, row.rank);
  const { revision, emittedAt } = computeVisibleChanges(scope, row);
  return {
    connection,
    key: row.long_key ?? row.key,
    version: row.version,
    revision,
    emittedAt,
    data: row.data,
    position: {
      sort: row.sort_value,
      key: row.key,
      connectionId: connection.id,
      ...(row.tie_value === undefined ? {} : { tie: row.tie_value }),
    },
  };
}

/** The record with that key in the scope's only connection, if the scope sees it. */
export async function getRecord(
  on: ReadTransaction,
  scope: StreamScope,
  key: string,
): Promise<StoredRecord | undefined> {
  const statement = keepStatement(
    scope,
    "record",
    () => sql`SELECT 0 AS rank, key, long_key, version, revision, emitted_at, changes, NULL AS sort_value, ${shortData}
    FROM ${table(scope)} WHERE ${matchVisibleKey(on.dialect, scope)}`,
  );
  const row = await on.one<RecordRow>(replaceLastValue(statement, toIndexText(key)));
  return row && decodeRecord(scope, row);
}

export async function countRecords(
  on: ReadTransaction,
  scope: StreamScope,
  conditions: readonly Condition[],
): Promise<number> {
  const kept = await loadKeptCount(on, scope, conditions);
  if (kept !== undefined) return kept;
  const limits = matchVisible(scope, conditions, on.dialect);
  return selectNumber(
    on,
    sql`SELECT count(*) AS n FROM ${table(scope)} WHERE ${joinAnd([matchConnections(scope), ...limits])}`,
  );
}

/** Whether the number of records is stored. Then counting them is a light read. */
export const hasKeptCount = ({ time, resources }: StreamScope, conditions: readonly Condition[]): boolean =>
  conditions.length === 0 && time === undefined && resources === undefined;

/** The stored number of records; only whole streams have one. */
export async function loadKeptCount(
  on: ReadTransaction,
  scope: StreamScope,
  conditions: readonly Condition[],
): Promise<number | undefined> {
  if (!hasKeptCount(scope, conditions)) return undefined;
  return (await loadStatistics(on, scope)).reduce((sum, { count }) => sum + count, 0);
}

export interface StreamStatistics {
  readonly connection: ScopedConnection;
  readonly count: number;
  /** The last change visible to the scope. */
  readonly updatedAt: number | null;
}

/** Maintained by writes, so that counting costs nothing. They cover the whole stream: only for unlimited scopes. */
export async function loadStatistics(on: ReadTransaction, scope: StreamScope): Promise<StreamStatistics[]> {
  const rows = await on.allCached<StoredUpdates & { connection_no: number; record_count: number }>(
    sql`SELECT connection_no, record_count, updated_at, changes FROM stream_stats
      WHERE owner_no = ${scope.ownerNo} AND stream_no = ${scope.stream.streamNo}`,
  );
  return scope.connections.map((connection) => {
    const row = rows.find((r) => r.connection_no === connection.no);
    return { connection, count: row?.record_count ?? 0, updatedAt: row ? findLastUpdate(scope, row) : null };
  });
}

/** Counts the records of the scope's only connection that meet a condition, up to `most`. */
export async function countRelated(
  on: ReadTransaction,
  scope: StreamScope,
  condition: Condition,
  most: number,
): Promise<number> {
  const limits = joinAnd([
    matchConnection(scope, getConnection(scope)),
    ...matchVisible(scope, [condition], on.dialect),
  ]);
  return selectNumber(
    on,
    sql`SELECT count(*) AS n FROM (SELECT 1 AS one FROM ${table(scope)} WHERE ${limits} ${limitRows(most)}) AS found`,
  );
}

/** The children of many parents in one statement: the first rows of each parent, by index. */
export async function listRelatedRecords(
  on: ReadTransaction,
  scope: StreamScope,
  foreignKey: Pick<Condition, "field" | "column"> & { readonly values: readonly (string | number)[] },
  list: Pick<ListQuery, "sort" | "descending" | "limit">,
): Promise<StoredRecord[][]> {
  if (foreignKey.values.length === 0) return [];
  const branches = foreignKey.values.map((value, parent) => {
    const query = { ...list, conditions: [{ ...foreignKey, operator: "eq" as const, value }] };
    return sql`SELECT ${raw(String(parent))} AS parent, child.* FROM (${buildListQuery(on.dialect, scope, query)}) AS child`;
  });
  const found: StoredRecord[][] = foreignKey.values.map(() => []);
  for (const row of await on.all<RecordRow & { parent: number }>(
    sql`SELECT * FROM (${unionAll(branches)}) AS related ORDER BY parent, ${buildMergedOrder(list)}`,
  )) {
    found[row.parent]?.push(decodeRecord(scope, row));
  }
  return found;
}
