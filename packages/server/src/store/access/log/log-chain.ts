import { PdppError } from "@pdpp/contract/errors";
import { type ReadTransaction, requireRow, type WriteTransaction } from "../../engine/engine.ts";
import { joinAnd, raw, sql } from "../../engine/sql.ts";
import {
  type AccessEntry,
  decodeEntry,
  encodeEntry,
  getRowValues,
  hashRow,
  type LogRow,
  logColumns,
} from "./log-entry.ts";
import { assignNumbers, copyToEveryOwner } from "./log-numbers.ts";
import { lockLog } from "./log-requests.ts";

export interface Head {
  entry_no: number;
  hash: string;
  /** The row before the first of the chain: the last one pruned, or the last one without a hash. */
  first_no: number;
  first_hash: string;
}

export interface JournalItem {
  readonly no: number;
  readonly state: "begun" | "ended";
  readonly entry: AccessEntry;
}

export const loadHead = (on: ReadTransaction): Promise<Head> =>
  requireRow<Head>(on, raw("SELECT * FROM access_log_head"));

async function lockHead(on: WriteTransaction): Promise<Head> {
  await lockLog(on);
  return loadHead(on);
}

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
  const head = await lockHead(on);
  await insertRows(on, head, [encodeEntry(entry, { entryNo: 0, journalId: null, journalNo: null, phase: "whole" })]);
}

/** Adds the entries of a journal to the log. Skips existing ones, so that it can be retried after a failure. */
export async function writeJournal(
  on: WriteTransaction,
  journalId: string,
  items: readonly JournalItem[],
): Promise<void> {
  const head = await lockHead(on);
  const numbers = [...new Set(items.map(({ no }) => no))];
  const held = await on.all<{ journal_no: number; phase: LogRow["phase"] }>(
    sql`SELECT journal_no, phase FROM access_log WHERE ${joinAnd([sql`journal_id = ${journalId}`, on.dialect.amongNumbers("journal_no", numbers)])}`,
  );
  const begun = new Set(held.filter(({ phase }) => phase === "begin").map(({ journal_no }) => journal_no));
  const over = new Set(held.filter(({ phase }) => phase !== "begin").map(({ journal_no }) => journal_no));
  const ending = new Set(items.filter(({ state }) => state === "ended").map(({ no }) => no));
  const rows = items.flatMap(({ no, state, entry }) => {
    if (over.has(no) || (state === "begun" && (begun.has(no) || ending.has(no)))) return [];
    const phase = state === "begun" ? "begin" : begun.has(no) ? "end" : "whole";
    return [encodeEntry(entry, { entryNo: 0, journalId, journalNo: no, phase })];
  });
  await insertRows(on, head, rows);
}

/** Entries that a dead process began and never ended. */
export async function listUnended(on: ReadTransaction, journalId: string): Promise<JournalItem[]> {
  const rows =
    await on.all<LogRow>(sql`SELECT * FROM access_log AS a WHERE journal_id = ${journalId} AND phase = 'begin' AND NOT EXISTS
    (SELECT 1 FROM access_log AS b WHERE b.journal_id = a.journal_id AND b.journal_no = a.journal_no AND b.phase <> 'begin')`);
  return rows.map((row) => ({ no: row.journal_no ?? 0, state: "ended", entry: decodeEntry(row) }));
}

async function insertRows(on: WriteTransaction, head: Head, written: readonly LogRow[]): Promise<void> {
  if (written.length === 0) return;
  const rows = await copyToEveryOwner(on, written);
  await assignNumbers(on, rows);
  let { entry_no: no, hash } = head;
  for (const row of rows) {
    no += 1;
    row.entry_no = no;
    hash = hashRow(hash, row);
    row.hash = hash;
  }
  await on.insert("access_log", logColumns, rows.map(getRowValues));
  await on.run(sql`UPDATE access_log_head SET entry_no = ${no}, hash = ${hash}`);
}

/** Removes the oldest entries up to a time, and returns their number. The rest still verifies. */
export async function pruneLog(on: WriteTransaction, ownerNo: number, before: number): Promise<number> {
  const head = await lockHead(on);
  const foreign = await on.one(sql`SELECT 1 AS one FROM access_log WHERE owner_no NOT IN (0, ${ownerNo}) LIMIT 1`);
  if (foreign !== undefined)
    throw new PdppError(
      "permission_error",
      "the log also has entries of other owners, so no single owner can prune it",
    );
  const newer = await on.one<{ entry_no: number }>(
    sql`SELECT entry_no FROM access_log WHERE at >= ${before} ORDER BY entry_no LIMIT 1`,
  );
  const until = (newer?.entry_no ?? head.entry_no + 1) - 1;
  const last = await on.one<{ hash: string | null }>(sql`SELECT hash FROM access_log WHERE entry_no = ${until}`);
  const removed = await on.run(sql`DELETE FROM access_log WHERE entry_no <= ${until}`);
  if (removed > 0 && until > head.first_no)
    await on.run(sql`UPDATE access_log_head SET first_no = ${until}, first_hash = ${last?.hash ?? ""}`);
  return removed;
}
