import { keepStatement } from "../access/kept-statements.ts";
import {
  type Condition,
  matchConnection,
  matchVisible,
  type ScopedConnection,
  type StreamScope,
  table,
} from "../access/scope.ts";
import type { Dialect } from "../engine/engine.ts";
import { emptySql, joinAnd, limitRows, raw, type Sql, sql, unionAll } from "../engine/sql.ts";
import { shortData } from "./record-data.ts";

/** The statement for one page over all connections of a scope. */

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

export function buildListQuery(dialect: Dialect, scope: StreamScope, query: ListQuery): Sql {
  const { conditions, sort, descending, after, limit } = query;
  const build = () => buildPage(dialect, scope, query);
  const isFirstPage = conditions.length === 0 && sort?.chosen === undefined && after === undefined;
  return isFirstPage ? keepStatement(scope, `list ${sort?.column} ${descending} ${limit}`, build) : build();
}

function buildPage(dialect: Dialect, scope: StreamScope, query: ListQuery): Sql {
  const buildAll = (rowId?: string) =>
    scope.connections.flatMap((connection, rank) => buildBranches(dialect, scope, query, connection, rank, rowId));
  const [only, ...others] = buildAll();
  if (only !== undefined && others.length === 0) return only;
  const branches = buildAll(dialect.rowId);
  const merged = sql`SELECT * FROM (${unionAll(branches)}) AS page ORDER BY ${buildMergedOrder(query)} ${limitRows(query.limit)}`;
  return dialect.rowId === undefined ? merged : addRows(dialect.rowId, scope, query, merged);
}

/** Columns of a record that no index has. */
const rowColumns = ["long_key", "version", "revision", "emitted_at", "changes"] as const;

/** Looks up only the rows on the page, because every column in a branch goes through the sorter of the merge. */
function addRows(rowId: string, scope: StreamScope, query: ListQuery, merged: Sql): Sql {
  const tieValue = query.sort?.chosen?.tie === undefined ? emptySql : raw(", tie_value");
  // CROSS JOIN keeps SQLite from starting with the table.
  return sql`SELECT rank, page.key AS key, ${raw(rowColumns.join(", "))}, sort_value${tieValue}, ${shortData}
    FROM (${merged}) AS page CROSS JOIN ${table(scope)} AS held WHERE held.${raw(rowId)} = page.row_id
    ORDER BY ${buildMergedOrder(query, "page.")}`;
}

export const buildMergedOrder = ({ descending, sort }: Pick<ListQuery, "descending" | "sort">, of = ""): Sql => {
  const way = raw(descending ? "DESC" : "ASC");
  const tie = sort?.chosen?.tie === undefined ? sql`` : sql`tie_value ${way}, `;
  return sql`CASE WHEN sort_value IS NULL THEN 1 ELSE 0 END, sort_value ${way}, ${tie}${raw(of)}key ${way}, rank`;
};

function buildBranches(
  dialect: Dialect,
  scope: StreamScope,
  query: ListQuery,
  connection: ScopedConnection,
  rank: number,
  /** Set if the rows are looked up later. */
  rowId: string | undefined,
): Sql[] {
  const { sort, after, descending } = query;
  const way = raw(descending ? "DESC" : "ASC");
  const beyond = raw(descending ? "<" : ">");
  // Records with the same sort value and key are ordered by connection id.
  const keyBeyond = after === undefined || connection.id <= after.connectionId ? beyond : raw(descending ? "<=" : ">=");
  const base = [matchConnection(scope, connection), ...matchVisible(scope, query.conditions, dialect)];
  const tie = sort?.chosen?.tie;
  const tieValue = tie === undefined ? sql`` : sql`, ${raw(tie.column)} AS tie_value`;
  const [columns, last] =
    rowId === undefined ? [raw(`key, ${rowColumns.join(", ")}`), shortData] : [raw("key"), raw(`${rowId} AS row_id`)];
  const buildBranch = (
    sortValue: Sql,
    order: Sql,
    position: Sql[],
  ) => sql`SELECT ${raw(String(rank))} AS rank, ${columns},
    ${sortValue} AS sort_value${tieValue}, ${last} FROM ${table(scope)} WHERE ${joinAnd([...base, ...position])}
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
