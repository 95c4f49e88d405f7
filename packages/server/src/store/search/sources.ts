import type { Json } from "@pdpp/contract/declaration";
import { type Condition, canRead, matchVisible, type StreamScope, table } from "../access/scope.ts";
import { encodeColumnValue, type FieldColumn } from "../catalog/layout.ts";
import type { Dialect, ReadTransaction } from "../engine/engine.ts";
import { join, joinAnd, raw, type Sql, sql, unionAll } from "../engine/sql.ts";
import type { IndexReader, Segment } from "./index-reader.ts";
import { indexedFields } from "./word-index.ts";

/** What is searched: the segments of each connection that the scope has, and the fields of them that it may read. */

export interface SearchedStream {
  readonly scope: StreamScope;
  readonly conditions: readonly Condition[];
}

/** One connection of a stream. */
export interface Source {
  readonly stream: SearchedStream;
  readonly connectionNo: number;
  readonly segments: readonly Segment[];
  readonly fields: readonly number[];
  /** What a word counts in each field of the index. */
  readonly weights: readonly number[];
  /** What must hold of a record beside its connection. */
  readonly limits: readonly Sql[];
}

const roleWeights: { readonly [role: string]: number } = { "primary-title": 2, secondary: 1.2, actor: 1.5 };

export async function sourcesOf(
  on: ReadTransaction,
  dialect: Dialect,
  reader: IndexReader,
  streams: readonly SearchedStream[],
  revision: number,
): Promise<Source[]> {
  const sources: Source[] = [];
  for (const stream of streams) {
    const { scope, conditions } = stream;
    const plan = scope.stream.activeSearchPlan;
    if (plan === null) continue;
    const fields = indexedFields(plan).flatMap((field, n) => (canRead(scope, field) ? [n] : []));
    if (fields.length === 0) continue;
    const segments = await reader.segments(on, scope.ownerNo, revision);
    const roleOf = (field: string) => scope.stream.declaration.fields.find(({ name }) => name === field)?.role ?? "";
    const weights = indexedFields(plan).map((field) => roleWeights[roleOf(field)] ?? 1);
    const limits = matchVisible(scope, conditions, dialect);
    for (const { no } of scope.connections) {
      const held = segments.of(plan.name, no);
      if (held.length > 0) sources.push({ stream, connectionNo: no, segments: held, fields, weights, limits });
    }
  }
  return sources;
}

/** Which of these records the scope lets through. */
export async function visibleAmong(
  on: ReadTransaction,
  dialect: Dialect,
  { stream: { scope }, connectionNo, limits }: Source,
  docs: readonly number[],
): Promise<ReadonlySet<number>> {
  const rows = await on.all<{ doc: number }>(
    ofDocs(dialect, scope, connectionNo, docs, limits, (column) => sql`${raw(column)} AS doc`),
  );
  return new Set(rows.map(({ doc }) => doc));
}

/** Which of these records have one of the values in a column. */
export async function havingAmong(
  on: ReadTransaction,
  dialect: Dialect,
  { stream: { scope }, connectionNo }: Source,
  { column, kind }: FieldColumn,
  values: readonly Json[],
  docs: readonly number[],
): Promise<ReadonlySet<number>> {
  const wanted = values.map((value) => sql`${encodeColumnValue(kind, value)}`);
  const limit = sql`${raw(column)} IN (${join(wanted, ", ")})`;
  const rows = await on.all<{ doc: number }>(
    ofDocs(dialect, scope, connectionNo, docs, [limit], (name) => sql`${raw(name)} AS doc`),
  );
  return new Set(rows.map(({ doc }) => doc));
}

/** When these records are from, by one of their times: null for each that has none. */
export async function timesAmong(
  on: ReadTransaction,
  dialect: Dialect,
  scope: StreamScope,
  connectionNo: number,
  time: FieldColumn,
  docs: readonly number[],
): Promise<readonly (number | null)[]> {
  const rows = await on.all<{ at: number | null }>(
    ofDocs(dialect, scope, connectionNo, docs, [], () => sql`${raw(time.column)} AS at`),
  );
  return rows.map(({ at }) => at);
}

/** A record has the name that the index knows it by in one of two columns. */
function ofDocs(
  dialect: Dialect,
  scope: StreamScope,
  connectionNo: number,
  docs: readonly number[],
  limits: readonly Sql[],
  shown: (column: "version" | "doc") => Sql,
): Sql {
  const here = [sql`owner_no = ${scope.ownerNo}`, sql`connection_no = ${connectionNo}`, ...limits];
  const named = (column: "version" | "doc", ...more: Sql[]) =>
    sql`SELECT ${shown(column)} FROM ${table(scope)} WHERE ${joinAnd([...here, dialect.amongNumbers(column, docs), ...more])}`;
  return unionAll([named("version", raw("doc IS NULL")), named("doc", raw("doc IS NOT NULL"))]);
}
