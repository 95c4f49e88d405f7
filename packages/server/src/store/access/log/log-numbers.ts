import type { ReadTransaction, WriteTransaction } from "../../engine/engine.ts";
import { limitRows, raw, type Sql, sql } from "../../engine/sql.ts";
import { listOwnerRows } from "../owners.ts";
import type { LogRow } from "./log-entry.ts";

/**
 * Entries form one chain for the whole vault, and its numbers would tell an owner when others act. So each owner's log has numbers of
 * its own. Entries from before that keep the number they have in the chain.
 */

/** Both fragments match the index `access_log_owner_entry` word for word; otherwise SQLite does not use it. */
export const entryNumber = raw("COALESCE(owner_entry_no, entry_no)");

/** Earlier entries that concerned no owner in particular are in the first owner's log. */
export const matchOwnerLog = (ownerNo: number): Sql =>
  sql`(CASE owner_no WHEN 0 THEN 1 ELSE owner_no END) = ${ownerNo}`;

/** The numbers of the first and the last entry in an owner's log; 0 if it is empty. */
export async function loadLogEnds(
  on: ReadTransaction,
  ownerNo: number,
): Promise<{ readonly first: number; readonly last: number }> {
  const select = (
    order: "ASC" | "DESC",
  ) => sql`SELECT ${entryNumber} AS n FROM access_log WHERE ${matchOwnerLog(ownerNo)}
    ORDER BY ${entryNumber} ${raw(order)} ${limitRows(1)}`;
  const first = await on.one<{ n: number }>(select("ASC"));
  const last = await on.one<{ n: number }>(select("DESC"));
  return { first: first?.n ?? 0, last: last?.n ?? 0 };
}

/** Rows that concern no owner in particular, such as unknown tokens, are copied into every owner's log. */
export async function copyToEveryOwner(on: ReadTransaction, rows: readonly LogRow[]): Promise<LogRow[]> {
  if (rows.every(({ owner_no }) => owner_no !== 0)) return [...rows];
  const owners = await listOwnerRows(on);
  return rows.flatMap((row) => (row.owner_no === 0 ? owners.map(({ no }) => ({ ...row, owner_no: no })) : [row]));
}

/** Numbers the rows in their owners' logs. The caller has locked the log. */
export async function assignNumbers(on: WriteTransaction, rows: readonly LogRow[]): Promise<void> {
  for (const [ownerNo, own] of Map.groupBy(rows, ({ owner_no }) => owner_no)) {
    const held = await on.one<{ last_no: number }>(
      sql`SELECT last_no FROM access_log_owner WHERE owner_no = ${ownerNo}`,
    );
    let last = held?.last_no ?? 0;
    for (const row of own) {
      last += 1;
      row.owner_entry_no = last;
    }
    await on.run(sql`INSERT INTO access_log_owner (owner_no, last_no) VALUES (${ownerNo}, ${last})
      ON CONFLICT (owner_no) DO UPDATE SET last_no = excluded.last_no`);
  }
}
