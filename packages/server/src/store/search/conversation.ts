import type { NextTurns } from "@pdpp/word-index/ports";
import { canRead, matchVisible, type StreamScope, table } from "../access/scope.ts";
import { findConversationColumns } from "../catalog/layout.ts";
import type { ReadTransaction } from "../engine/engine.ts";
import { joinAnd, raw, type Sql, sql, unionAll } from "../engine/sql.ts";
import type { ConnectionScope } from "./doc-queries.ts";

type ConversationColumns = NonNullable<ReturnType<typeof findConversationColumns>>;

/** Undefined if the stream is not a conversation, or if the scope does not show the fields that order it. */
export function getVisibleConversation(scope: StreamScope): ConversationColumns | undefined {
  const { declaration, columns } = scope.stream;
  const { within, by } = declaration.conversation ?? {};
  const isVisible = [within, by].every((field) => field === undefined || canRead(scope, field));
  return isVisible ? findConversationColumns(declaration, columns) : undefined;
}

/** The turns that follow these documents, nearest first. Other conditions of the search do not apply. */
export async function loadTurnsAfter(
  { on, maxDoc }: { readonly on: ReadTransaction; readonly maxDoc: number },
  within: ConnectionScope,
  docs: readonly number[],
): Promise<ReadonlyMap<number, readonly number[]>> {
  const columns = getVisibleConversation(within.scope);
  if (columns === undefined || docs.length === 0) return new Map();
  const turns = await loadNextTurns(on, within, columns, matchVisible(within.scope, [], on.dialect), maxDoc, docs);
  return new Map(turns.map(({ doc, next, second }) => [doc, [next, second].filter((other) => other !== null)]));
}

/** Only documents up to `maxDoc` that meet the conditions are turns. */
export function loadNextTurns(
  on: ReadTransaction,
  { scope, connectionNo }: ConnectionScope,
  { within, by }: ConversationColumns,
  conditions: readonly Sql[],
  maxDoc: number,
  docs: readonly number[],
): Promise<NextTurns[]> {
  const isInConnection = (alias: string): Sql =>
    sql`${raw(alias)}.owner_no = ${scope.ownerNo} AND ${raw(alias)}.connection_no = ${connectionNo}`;
  const selectNext = (offset: number): Sql =>
    sql`(SELECT COALESCE(n.doc, n.version) FROM ${table(scope)} AS n WHERE ${joinAnd([
      isInConnection("n"),
      ...(within === undefined ? [] : [raw(`n.${within} = c.${within}`)]),
      raw(`(n.${by}, n.key) > (c.${by}, c.key)`),
      sql`COALESCE(n.doc, n.version) <= ${maxDoc}`,
      ...conditions,
    ])} ORDER BY n.${raw(by)}, n.key LIMIT 1 OFFSET ${raw(String(offset))})`;
  const selectBy = (column: string, isUsed: string) =>
    sql`SELECT ${raw(column)} AS doc, ${selectNext(0)} AS next, ${selectNext(1)} AS second FROM ${table(scope)} AS c
      WHERE ${joinAnd([isInConnection("c"), on.dialect.amongNumbers(column, docs), raw(`c.doc ${isUsed}`)])}`;
  return on.all<NextTurns>(
    sql`SELECT * FROM (${unionAll([selectBy("c.version", "IS NULL"), selectBy("c.doc", "IS NOT NULL")])}) AS turns
      ORDER BY doc`,
  );
}
