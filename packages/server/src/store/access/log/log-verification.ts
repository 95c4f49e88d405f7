import { type ReadTransaction, selectNumber } from "../../engine/engine.ts";
import { limitRows, sql } from "../../engine/sql.ts";
import { loadHead } from "./log-chain.ts";
import { digestRequest, getEntryNumber, hashRow, type LogRow } from "./log-entry.ts";
import { entryNumber, matchOwnerLog } from "./log-numbers.ts";
import { loadRequestDeletions } from "./log-requests.ts";

interface KeptHash {
  readonly entry: number;
  readonly hash: string;
}

/** Covers the whole chain, but counts and names only what is in the owner's log. */
export interface Verification {
  /** Entries with a hash, and entries from before the chain existed. */
  readonly entries: number;
  readonly unchained: number;
  /** The newest entry and its hash, for safekeeping elsewhere. */
  readonly last: number;
  readonly hash: string;
  readonly fault: { readonly entry: number; readonly reason: string } | null;
}

const batchRows = 1000;

/** Recomputes every hash. `kept` is the newest entry of an earlier verification. */
export async function verifyLog(on: ReadTransaction, ownerNo: number, kept?: KeptHash): Promise<Verification> {
  const head = await loadHead(on);
  const newest = await on.one<LogRow>(
    sql`SELECT * FROM access_log WHERE ${matchOwnerLog(ownerNo)} ORDER BY ${entryNumber} DESC ${limitRows(1)}`,
  );
  const found = {
    unchained: await selectNumber(
      on,
      sql`SELECT count(*) AS n FROM access_log WHERE ${matchOwnerLog(ownerNo)} AND entry_no <= ${head.first_no}`,
    ),
    last: newest === undefined ? 0 : getEntryNumber(newest),
    hash: newest?.hash ?? "",
  };
  const keptHash = createKeptCheck(ownerNo, kept);
  let no = head.first_no;
  let hash = head.first_hash;
  let entries = 0;
  /** The last number in the owner's log so far. */
  let ownNo: number | undefined;
  let isDeletionLogged: ((row: LogRow) => boolean) | undefined;
  const reportFault = (entry: number, reason: string): Verification => ({
    ...found,
    entries,
    fault: { entry, reason },
  });
  /** An entry of another owner is named by the next one in the owner's own log. */
  const reportRow = (row: LogRow, reason: string): Verification =>
    isOwn(row, ownerNo)
      ? reportFault(getEntryNumber(row), reason)
      : reportFault((ownNo ?? 0) + 1, "an entry of another owner before it was changed or removed");
  for (;;) {
    const rows = await on.all<LogRow>(
      sql`SELECT * FROM access_log WHERE entry_no > ${no} ORDER BY entry_no LIMIT ${batchRows}`,
    );
    for (const row of rows) {
      if (row.entry_no !== no + 1) return reportRow(row, "an entry before it is missing");
      hash = hashRow(hash, row);
      no += 1;
      if (row.hash !== hash) return reportRow(row, "it was changed or inserted, or an entry before it was removed");
      if (row.request !== null) {
        if (row.request_digest !== digestRequest(row.request)) return reportRow(row, "its request was changed");
      } else if (row.request_digest !== null) {
        isDeletionLogged ??= await loadRequestDeletions(on);
        if (!isDeletionLogged(row)) return reportRow(row, "its request was removed");
      }
      keptHash.see(row);
      if (!isOwn(row, ownerNo)) continue;
      ownNo = getEntryNumber(row);
      entries += 1;
    }
    if (rows.length < batchRows) break;
  }
  if (no !== head.entry_no || hash !== head.hash)
    return reportFault((ownNo ?? 0) + 1, "the newest entries are missing");
  const lost = keptHash.findFault(found.last);
  return lost === undefined ? { ...found, entries, fault: null } : reportFault(lost.entry, lost.reason);
}

const isOwn = ({ owner_no }: LogRow, ownerNo: number): boolean => (owner_no === 0 ? 1 : owner_no) === ownerNo;

/** A hash kept before owners had numbers of their own may be that of another owner's entry. */
function createKeptCheck(ownerNo: number, kept: KeptHash | undefined) {
  let isSeen = false;
  let isEqual = false;
  return {
    see(row: LogRow): void {
      if (kept === undefined || getEntryNumber(row) !== kept.entry) return;
      if (!isOwn(row, ownerNo) && row.owner_entry_no !== null) return;
      isSeen = true;
      isEqual ||= row.hash === kept.hash;
    },
    findFault(last: number): { readonly entry: number; readonly reason: string } | undefined {
      if (kept === undefined || isEqual) return undefined;
      if (isSeen) return { entry: kept.entry, reason: "its hash differs from the one you kept" };
      return kept.entry > last ? { entry: kept.entry, reason: "the entry whose hash you kept is missing" } : undefined;
    },
  };
}
