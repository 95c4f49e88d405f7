import type { ReadTransaction } from "../../engine/engine.ts";
import { limitRows, raw, sql } from "../../engine/sql.ts";
import { listFirstOwners } from "../owners.ts";

/**
 * The number of an entry in its owner's log. Entries from when all owners shared one chain keep the number they have there. The
 * fragment matches the index `access_log_owner_entry` word for word; otherwise SQLite does not use it.
 */
export const entryNumber = raw("COALESCE(owner_entry_no, entry_no)");

/** The numbers of the first and the last entry in an owner's log; 0 if it is empty. */
export async function loadLogEnds(
  on: ReadTransaction,
  ownerNo: number,
): Promise<{ readonly first: number; readonly last: number }> {
  const select = (order: "ASC" | "DESC") => sql`SELECT ${entryNumber} AS n FROM access_log WHERE owner_no = ${ownerNo}
    ORDER BY ${entryNumber} ${raw(order)} ${limitRows(1)}`;
  const first = await on.one<{ n: number }>(select("ASC"));
  const last = await on.one<{ n: number }>(select("DESC"));
  return { first: first?.n ?? 0, last: last?.n ?? 0 };
}

/** With more owners than this, one guess at a token would write to too many logs. */
const maxOwnersOfUnowned = 100;

async function listOwnersOfUnowned(on: ReadTransaction): Promise<number[]> {
  const first = await listFirstOwners(on, maxOwnersOfUnowned + 1);
  return first.length > maxOwnersOfUnowned ? first.slice(0, 1) : first;
}

/** Groups entries by the owners whose logs they belong to: an entry of no owner, such as an unknown token, is in every owner's. */
export async function groupByOwner<T extends { readonly entry: { readonly ownerNo: number } }>(
  on: ReadTransaction,
  items: readonly T[],
): Promise<(readonly [ownerNo: number, own: readonly T[]])[]> {
  const unowned = items.some(({ entry }) => entry.ownerNo === 0);
  const all = unowned ? await listOwnersOfUnowned(on) : [];
  const owners = new Set([...all, ...items.map(({ entry }) => entry.ownerNo).filter((no) => no !== 0)]);
  // Every process takes the chains in this order, so that two of them cannot wait for each other.
  return [...owners]
    .sort((a, b) => a - b)
    .map((no) => [no, items.filter(({ entry }) => entry.ownerNo === no || (entry.ownerNo === 0 && all.includes(no)))]);
}
