import type { Json } from "@pdpp/contract/declaration";
import { type StreamScope, table } from "../access/scope.ts";
import { encodeColumnValue, type FieldColumn } from "../catalog/layout.ts";
import type { Dialect, ReadTransaction } from "../engine/engine.ts";
import { join, joinAnd, raw, type Sql, sql, unionAll } from "../engine/sql.ts";

export interface ConnectionScope {
  readonly scope: StreamScope;
  readonly connectionNo: number;
}

export async function findDocs(
  on: ReadTransaction,
  within: ConnectionScope,
  docs: readonly number[],
  conditions: readonly Sql[],
): Promise<ReadonlySet<number>> {
  const rows = await on.all<{ doc: number }>(
    selectDocs(on.dialect, within, docs, conditions, (column) => sql`${raw(column)} AS doc`),
  );
  return new Set(rows.map(({ doc }) => doc));
}

export const hasValue = ({ column, kind }: FieldColumn, values: readonly Json[]): Sql =>
  sql`${raw(column)} IN (${join(
    values.map((value) => sql`${encodeColumnValue(kind, value)}`),
    ", ",
  )})`;

/** Loads a time of each record; null for a record that has none. */
export async function loadTimes(
  on: ReadTransaction,
  within: ConnectionScope,
  time: FieldColumn,
  docs: readonly number[],
): Promise<readonly (number | null)[]> {
  const rows = await on.all<{ at: number | null }>(
    selectDocs(on.dialect, within, docs, [], () => sql`${raw(time.column)} AS at`),
  );
  return rows.map(({ at }) => at);
}

export interface DatedDocs {
  readonly within: ConnectionScope;
  readonly column: FieldColumn;
  readonly docs: readonly number[];
}

/** Loads a time of each record by document number, for each source. Records without a time are left out. */
export async function loadDocTimes(
  on: ReadTransaction,
  sources: readonly DatedDocs[],
): Promise<readonly ReadonlyMap<number, number>[]> {
  const times = sources.map(() => new Map<number, number>());
  if (sources.length === 0) return times;
  const selects = sources.map(({ within, column, docs }, n) => {
    const at = raw(column.column);
    return selectDocs(
      on.dialect,
      within,
      docs,
      [sql`${at} IS NOT NULL`],
      (doc) => sql`${raw(String(n))} AS source, ${raw(doc)} AS doc, ${at} AS at`,
    );
  });
  for (const { source, doc, at } of await on.all<{ source: number; doc: number; at: number }>(unionAll(selects)))
    times[source]?.set(doc, at);
  return times;
}

/** A record's document number is in `doc` or, if that is null, in `version`. Each column has its own index. */
function selectDocs(
  dialect: Dialect,
  { scope, connectionNo }: ConnectionScope,
  docs: readonly number[],
  conditions: readonly Sql[],
  select: (column: "version" | "doc") => Sql,
): Sql {
  const common = [sql`owner_no = ${scope.ownerNo}`, sql`connection_no = ${connectionNo}`, ...conditions];
  const selectBy = (column: "version" | "doc", isUsed: string) =>
    sql`SELECT ${select(column)} FROM ${table(scope)}
      WHERE ${joinAnd([...common, dialect.amongNumbers(column, docs), raw(isUsed)])}`;
  return unionAll([selectBy("version", "doc IS NULL"), selectBy("doc", "doc IS NOT NULL")]);
}
