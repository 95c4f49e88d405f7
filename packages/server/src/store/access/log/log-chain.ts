import { PdppError } from "@pdpp/contract/errors";
import { type ReadTransaction, requireRow, type WriteTransaction } from "../../engine/engine.ts";
import { joinAnd, sql } from "../../engine/sql.ts";
import {
  type AccessEntry,
  decodeEntry,
  encodeEntry,
  getRowValues,
  hashRow,
  type LogRow,
  logColumns,
} from "./log-entry.ts";
import { groupByOwner } from "./log-numbers.ts";

/**
 * The ends of a chain of entries. Each owner has one. Owners of a vault from before continue the chain that they shared, whose own ends
 * are those of owner 0; nothing is added to it any more.
 */
export interface Chain {
  /** The last number in the owner's log. */
  last_no: number;
  entry_no: number;
  hash: string;
  /** The row before the first of the chain: the last one pruned, the last one without a hash, or the last shared one. */
  first_no: number;
  first_hash: string;
  /** The last number of the shared chain; 0 for an owner who was never part of it. */
  shared_no: number;
}

export const sharedOwnerNo = 0;

export interface JournalItem {
  readonly no: number;
  readonly state: "begun" | "ended";
  readonly entry: AccessEntry;
}

const newChain: Chain = { last_no: 0, entry_no: 0, hash: "", first_no: 0, first_hash: "", shared_no: 0 };

export const loadChain = async (on: ReadTransaction, ownerNo: number): Promise<Chain> =>
  (await on.one<Chain>(sql`SELECT * FROM access_log_chain WHERE owner_no = ${ownerNo}`)) ?? newChain;

/** Locks an owner's log until the transaction ends. To avoid deadlocks, lock it after everything else. */
export const lockChain = (on: WriteTransaction, ownerNo: number): Promise<Chain> =>
  requireRow<Chain>(
    on,
    sql`INSERT INTO access_log_chain (owner_no, last_no, entry_no, hash, first_no, first_hash, shared_no)
      VALUES (${ownerNo}, 0, 0, '', 0, '', 0)
      ON CONFLICT (owner_no) DO UPDATE SET entry_no = access_log_chain.entry_no RETURNING *`,
  );

export async function logOwnerAction(
  on: WriteTransaction,
  act: Pick<AccessEntry, "ownerNo" | "at" | "operation"> & Partial<AccessEntry>,
): Promise<void> {
  const entry: AccessEntry = {
    requestId: "-",
    client: "owner",
    grantIds: [],
    connectionIds: [],
    stream: null,
    status: 200,
    records: 0,
    bytes: 0,
    kind: "act",
    ...act,
  };
  const chain = await lockChain(on, entry.ownerNo);
  await insertRows(on, entry.ownerNo, chain, [
    encodeEntry(entry, { entryNo: 0, journalId: null, journalNo: null, phase: "whole" }),
  ]);
}

/** Adds the entries of a journal to the logs of their owners. Skips existing ones, so that it can be retried after a failure. */
export async function writeJournal(
  on: WriteTransaction,
  journalId: string,
  items: readonly JournalItem[],
): Promise<void> {
  for (const [ownerNo, own] of await groupByOwner(on, items)) await writeOwnJournal(on, ownerNo, journalId, own);
}

async function writeOwnJournal(
  on: WriteTransaction,
  ownerNo: number,
  journalId: string,
  items: readonly JournalItem[],
): Promise<void> {
  const chain = await lockChain(on, ownerNo);
  const numbers = [...new Set(items.map(({ no }) => no))];
  const held = await on.all<{ journal_no: number; phase: LogRow["phase"] }>(
    sql`SELECT journal_no, phase FROM access_log WHERE ${joinAnd([
      sql`owner_no = ${ownerNo} AND journal_id = ${journalId}`,
      on.dialect.amongNumbers("journal_no", numbers),
    ])}`,
  );
  const begun = new Set(held.filter(({ phase }) => phase === "begin").map(({ journal_no }) => journal_no));
  const over = new Set(held.filter(({ phase }) => phase !== "begin").map(({ journal_no }) => journal_no));
  const ending = new Set(items.filter(({ state }) => state === "ended").map(({ no }) => no));
  const rows = items.flatMap(({ no, state, entry }) => {
    if (over.has(no) || (state === "begun" && (begun.has(no) || ending.has(no)))) return [];
    const phase = state === "begun" ? "begin" : begun.has(no) ? "end" : "whole";
    return [encodeEntry({ ...entry, ownerNo }, { entryNo: 0, journalId, journalNo: no, phase })];
  });
  await insertRows(on, ownerNo, chain, rows);
}

/** Entries that a dead process began and never ended. By way of the chains, so that the index by owner finds them. */
export async function listUnended(on: ReadTransaction, journalId: string): Promise<JournalItem[]> {
  const rows =
    await on.all<LogRow>(sql`SELECT a.* FROM access_log_chain AS c JOIN access_log AS a ON a.owner_no = c.owner_no
    WHERE a.journal_id = ${journalId} AND a.phase = 'begin' AND NOT EXISTS (SELECT 1 FROM access_log AS b
      WHERE b.owner_no = a.owner_no AND b.journal_id = a.journal_id AND b.journal_no = a.journal_no AND b.phase <> 'begin')`);
  return rows.map((row) => ({ no: row.journal_no ?? 0, state: "ended", entry: decodeEntry(row) }));
}

async function insertRows(
  on: WriteTransaction,
  ownerNo: number,
  { entry_no, last_no, hash }: Chain,
  rows: readonly LogRow[],
): Promise<void> {
  if (rows.length === 0) return;
  let latest = hash;
  rows.forEach((row, n) => {
    row.entry_no = entry_no + n + 1;
    row.owner_entry_no = last_no + n + 1;
    latest = hashRow(latest, row);
    row.hash = latest;
  });
  await on.insert("access_log", logColumns, rows.map(getRowValues));
  await on.run(sql`UPDATE access_log_chain SET entry_no = ${entry_no + rows.length}, last_no = ${last_no + rows.length},
    hash = ${latest} WHERE owner_no = ${ownerNo}`);
}

/** Removes an owner's oldest entries up to a time, and returns their number. The rest still verifies. */
export async function pruneLog(on: WriteTransaction, ownerNo: number, before: number): Promise<number> {
  const chain = await lockChain(on, ownerNo);
  await ensurePrunable(on, ownerNo, chain);
  const newer = await on.one<{ entry_no: number }>(
    sql`SELECT entry_no FROM access_log WHERE owner_no = ${ownerNo} AND at >= ${before} ORDER BY entry_no LIMIT 1`,
  );
  const until = (newer?.entry_no ?? chain.entry_no + 1) - 1;
  const last = await on.one<{ hash: string | null }>(
    sql`SELECT hash FROM access_log WHERE owner_no = ${ownerNo} AND entry_no = ${until}`,
  );
  const removed = await on.run(sql`DELETE FROM access_log WHERE owner_no = ${ownerNo} AND entry_no <= ${until}`);
  if (removed > 0) await moveBeginnings(on, ownerNo, until, last?.hash ?? "");
  return removed;
}

/** Removing an owner's entries from the shared chain would break it for the others that have entries there. */
async function ensurePrunable(on: WriteTransaction, ownerNo: number, { shared_no }: Chain): Promise<void> {
  const own = await on.one(
    sql`SELECT 1 AS one FROM access_log WHERE owner_no = ${ownerNo} AND entry_no <= ${shared_no} LIMIT 1`,
  );
  if (own === undefined) return;
  const foreign = await on.one(sql`SELECT 1 AS one FROM access_log_chain AS c JOIN access_log AS a
    ON a.owner_no = c.owner_no AND a.entry_no <= c.shared_no WHERE c.owner_no <> ${ownerNo} LIMIT 1`);
  if (foreign === undefined) return;
  throw new PdppError(
    "permission_error",
    "the log shares a chain of older entries with the logs of other owners, so no single owner can prune it",
  );
}

/** The chain, or the shared one before it, now begins after the row `until`. */
async function moveBeginnings(on: WriteTransaction, ownerNo: number, until: number, hash: string): Promise<void> {
  await on.run(sql`UPDATE access_log_chain SET first_no = ${until}, first_hash = ${hash}
    WHERE owner_no IN (${ownerNo}, ${sharedOwnerNo}) AND first_no < ${until} AND entry_no >= ${until}`);
  // All of the shared chain is gone.
  await on.run(sql`UPDATE access_log_chain SET first_no = entry_no, first_hash = hash
    WHERE owner_no = ${sharedOwnerNo} AND first_no < entry_no AND entry_no < ${until}`);
}
