import {
  type Condition,
  getConnection,
  matchConnection,
  matchConnections,
  matchVisible,
  type ScopedConnection,
  type StreamScope,
  table,
} from "../access/scope.ts";
import { type Dialect, type ReadTransaction, selectNumber } from "../engine/engine.ts";
import { toIndexText } from "../engine/index-text.ts";
import { joinAnd, limitRows, raw, type Sql, sql, unionAll } from "../engine/sql.ts";
import { computeVisibleChanges, type StoredState } from "./record-changes.ts";
import { type StoredData, shortData } from "./record-data.ts";
import { findLastUpdate, type StoredUpdates } from "./stream-updates.ts";

export interface StoredRecord extends StoredData {
  readonly key: string;
  readonly revision: number;
  readonly emittedAt: number;
  readonly position: Position;
}

/** The position of a record in a list. `sort` is null for records without a value in the sort field. */
export interface Position {
  readonly sort: string | number | null;
  readonly key: string;
  readonly connectionId: string;
  /** The value of the second sort column, if there is one. */
  readonly tie?: string | number | null;
}

interface OrderedColumn {
  readonly column: string;
  readonly type: "text" | "number";
  readonly nullable: boolean;
}

export interface SortColumn extends OrderedColumn {
  /** Set if the reader chose a column other than that of the stream's own order. */
  readonly chosen?: {
    /** The stream's own sort column, which orders equal values. */
    readonly tie?: OrderedColumn;
    /** Its index lacks the records without a value, so that lists do as well. */
    readonly omitsEmpty: boolean;
    /** The scope has limits of its own, so that its records are selected first and then sorted. */
    readonly isLimited: boolean;
  };
}

export interface ListQuery {
  readonly conditions: readonly Condition[];
  /** Sorts by key alone if undefined. */
  readonly sort: SortColumn | undefined;
  readonly descending: boolean;
  readonly after?: Position;
  readonly limit: number;
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

function buildListQuery(dialect: Dialect, scope: StreamScope, query: ListQuery): Sql {
  const branches = scope.connections.flatMap((connection, rank) =>
    buildBranches(dialect, scope, query, connection, rank),
  );
  const [only] = branches;
  if (only !== undefined && branches.length === 1) return only;
  return sql`SELECT * FROM (${unionAll(branches)}) AS page ORDER BY ${orderMerged(query)} ${limitRows(query.limit)}`;
}

const orderMerged = ({ descending, sort }: Pick<ListQuery, "descending" | "sort">): Sql => {
  const way = raw(descending ? "DESC" : "ASC");
  const tie = sort?.chosen?.tie === undefined ? sql`` : sql`tie_value ${way}, `;
  return sql`CASE WHEN sort_value IS NULL THEN 1 ELSE 0 END, sort_value ${way}, ${tie}key ${way}, rank`;
};

function buildBranches(
  dialect: Dialect,
  scope: StreamScope,
  query: ListQuery,
  connection: ScopedConnection,
  rank: number,
): Sql[] {
  const { sort, after, descending } = query;
  const way = raw(descending ? "DESC" : "ASC");
  const beyond = raw(descending ? "<" : ">");
  // Records with the same sort value and key are ordered by connection id.
  const keyBeyond = after === undefined || connection.id <= after.connectionId ? beyond : raw(descending ? "<=" : ">=");
  const base = [matchConnection(scope, connection), ...matchVisible(scope, query.conditions, dialect)];
  const tie = sort?.chosen?.tie;
  const tieValue = tie === undefined ? sql`` : sql`, ${raw(tie.column)} AS tie_value`;
  const buildBranch = (
    sortValue: Sql,
    order: Sql,
    position: Sql[],
  ) => sql`SELECT ${raw(String(rank))} AS rank, key, long_key, version, revision,
    emitted_at, changes, ${sortValue} AS sort_value${tieValue}, ${shortData} FROM ${table(scope)} WHERE ${joinAnd([...base, ...position])}
    ORDER BY ${order} ${limitRows(query.limit)}`;

  const noValue = raw(`CAST(NULL AS ${dialect.types[sort?.type ?? "text"].split(" COLLATE")[0]})`);
  const ordered = (name: string) => (isRanged(query) ? dialect.withoutIndex(raw(name)) : raw(name));
  const byKey = sql`${ordered("key")} ${way}`;
  const keyPosition = after === undefined ? [] : [sql`${ordered("key")} ${keyBeyond} ${after.key}`];
  if (sort === undefined) return [buildBranch(noValue, byKey, keyPosition)];

  const column = ordered(sort.column);
  const branches: Sql[] = [];
  if (tie !== undefined) {
    // The whole order, even where a part of it is constant: PostgreSQL does not treat IS NULL as constant.
    const order = sql`${column} ${way}, ${ordered(tie.column)} ${way}, ${ordered("key")} ${way}`;
    const isEmpty = sql`${column} IS NULL`;
    const listEmpty = sort.nullable && sort.chosen?.omitsEmpty !== true;
    if (after === undefined || after.sort !== null) {
      const further = after === undefined ? [] : [sql`${column} ${beyond} ${after.sort}`];
      branches.push(buildBranch(column, order, [sql`${column} IS NOT NULL`, ...further]));
    }
    if (listEmpty && after?.sort !== null) branches.push(buildBranch(noValue, order, [isEmpty]));
    if (after === undefined) return branches;
    const isSame = after.sort === null ? isEmpty : sql`${column} = ${after.sort}`;
    const place = { tie: ordered(tie.column), key: ordered("key"), after, keyBeyond, beyond };
    for (const position of continueTies(place, (dialect.name === "sqlite") !== descending))
      branches.push(buildBranch(after.sort === null ? noValue : column, order, [isSame, ...position]));
    return branches;
  }
  if (after === undefined || after.sort !== null) {
    const position = after === undefined ? [] : [sql`(${column}, key) ${keyBeyond} (${after.sort}, ${after.key})`];
    branches.push(buildBranch(column, sql`${column} ${way}, key ${way}`, [sql`${column} IS NOT NULL`, ...position]));
  }
  if (sort.nullable && sort.chosen?.omitsEmpty !== true) {
    const position = after?.sort === null ? keyPosition : [];
    branches.push(buildBranch(noValue, byKey, [sql`${column} IS NULL`, ...position]));
  }
  return branches;
}

interface TiePlace {
  readonly tie: Sql;
  readonly key: Sql;
  readonly after: Position;
  readonly keyBeyond: Sql;
  readonly beyond: Sql;
}

/** Conditions for the records after a position among those with the same sort value. Engines differ in where NULL sorts. */
function continueTies({ tie, key, after, keyBeyond, beyond }: TiePlace, isEmptyFirst: boolean): Sql[][] {
  const keyPosition = sql`${key} ${keyBeyond} ${after.key}`;
  const [isEmpty, isHeld] = [sql`${tie} IS NULL`, sql`${tie} IS NOT NULL`];
  if (after.tie == null) return [[isEmpty, keyPosition], ...(isEmptyFirst ? [[isHeld]] : [])];
  const further = sql`${tie} ${beyond} ${after.tie}`;
  return [[sql`${tie} = ${after.tie}`, keyPosition], [further], ...(isEmptyFirst ? [] : [[isEmpty]])];
}

/**
 * Whether a range on another column selects the records. Then that column's index is used and the rows are sorted, at a cost that
 * depends on the width of the range. The index of the sort order would scan the whole connection for a narrow range.
 */
export const isRanged = ({ conditions, sort }: ListQuery): boolean =>
  sort?.chosen === undefined
    ? isRangedInOwnOrder(conditions, sort)
    : sort.chosen.isLimited || conditions.some(({ column }) => column.column !== sort.column);

const isRangedInOwnOrder = (conditions: readonly Condition[], sort: SortColumn | undefined): boolean =>
  conditions.some(({ column }) => column.column !== (sort?.column ?? "key")) &&
  conditions.every(({ operator }) => operator !== "eq");

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
  const row =
    await on.one<RecordRow>(sql`SELECT 0 AS rank, key, long_key, version, revision, emitted_at, changes, NULL AS sort_value, ${shortData}
    FROM ${table(scope)} WHERE ${joinAnd([matchConnection(scope, getConnection(scope)), sql`key = ${toIndexText(key)}`, ...matchVisible(scope, [], on.dialect)])}`);
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
    sql`SELECT * FROM (${unionAll(branches)}) AS related ORDER BY parent, ${orderMerged(list)}`,
  )) {
    found[row.parent]?.push(decodeRecord(scope, row));
  }
  return found;
}
