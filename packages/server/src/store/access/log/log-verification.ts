import { type ReadTransaction, selectNumber } from "../../engine/engine.ts";
import { limitRows, sql } from "../../engine/sql.ts";
import { type Chain, loadChain, sharedOwnerNo } from "./log-chain.ts";
import { digestRequest, getEntryNumber, hashRow, type LogRow } from "./log-entry.ts";
import { entryNumber } from "./log-numbers.ts";
import { loadRequestDeletions } from "./log-requests.ts";

interface KeptHash {
  readonly entry: number;
  readonly hash: string;
}

/** Covers the owner's chain and the shared one before it, but counts and names only what is in the owner's log. */
export interface Verification {
  /** Entries with a hash, and entries from before the chain existed. */
  readonly entries: number;
  readonly unchained: number;
  /** The newest entry and its hash, for safekeeping elsewhere. */
  readonly last: number;
  readonly hash: string;
  readonly fault: Fault | null;
}

interface Fault {
  readonly entry: number;
  readonly reason: string;
}

/** Recomputes every hash. `kept` is the newest entry of an earlier verification. */
export async function verifyLog(on: ReadTransaction, ownerNo: number, kept?: KeptHash): Promise<Verification> {
  const chain = await loadChain(on, ownerNo);
  const shared = chain.shared_no > 0 ? await loadChain(on, sharedOwnerNo) : undefined;
  const newest = await on.one<LogRow>(
    sql`SELECT * FROM access_log WHERE owner_no = ${ownerNo} ORDER BY ${entryNumber} DESC ${limitRows(1)}`,
  );
  const last = newest === undefined ? 0 : getEntryNumber(newest);
  const unchained = await selectNumber(
    on,
    sql`SELECT count(*) AS n FROM access_log WHERE owner_no = ${ownerNo} AND entry_no <= ${(shared ?? chain).first_no}`,
  );
  const walk = createWalk(on, ownerNo, createKeptCheck(ownerNo, kept));
  const fault =
    (shared && (await walk.follow(shared, listSharedRows(on, shared)))) ??
    (await walk.follow(chain, listOwnRows(on, ownerNo, chain))) ??
    walk.keptHash.findFault(last);
  return { entries: walk.countEntries(), unchained, last, hash: newest?.hash ?? "", fault: fault ?? null };
}

const batchRows = 1000;

async function* listOwnRows(on: ReadTransaction, ownerNo: number, { first_no }: Chain): AsyncGenerator<LogRow> {
  for (let no = first_no; ; ) {
    const rows = await on.all<LogRow>(
      sql`SELECT * FROM access_log WHERE owner_no = ${ownerNo} AND entry_no > ${no} ORDER BY entry_no ${limitRows(batchRows)}`,
    );
    yield* rows;
    if (rows.length < batchRows) return;
    no = rows.at(-1)!.entry_no;
  }
}

/** The rows of all owners that shared the chain, in its order, by ranges of its numbers. */
async function* listSharedRows(on: ReadTransaction, { first_no, entry_no }: Chain): AsyncGenerator<LogRow> {
  for (let no = first_no; no < entry_no; no += batchRows) {
    const until = Math.min(entry_no, no + batchRows);
    yield* await on.all<LogRow>(sql`SELECT a.* FROM access_log_chain AS c JOIN access_log AS a ON a.owner_no = c.owner_no
      WHERE c.shared_no > 0 AND a.entry_no > ${no} AND a.entry_no <= ${until} ORDER BY a.entry_no`);
  }
}

function createWalk(on: ReadTransaction, ownerNo: number, keptHash: ReturnType<typeof createKeptCheck>) {
  let entries = 0;
  /** The last number in the owner's log so far. */
  let ownNo = 0;
  const deletions = new Map<number, (row: LogRow) => boolean>();
  /** An entry of another owner is named by the next one in the owner's own log. */
  const reportRow = (row: LogRow, reason: string): Fault =>
    row.owner_no === ownerNo
      ? { entry: getEntryNumber(row), reason }
      : { entry: ownNo + 1, reason: "an entry of another owner before it was changed or removed" };
  const isDeletionLogged = async (row: LogRow): Promise<boolean> => {
    const explains = deletions.get(row.owner_no) ?? (await loadRequestDeletions(on, row.owner_no));
    deletions.set(row.owner_no, explains);
    return explains(row);
  };
  const follow = async (chain: Chain, rows: AsyncIterable<LogRow>): Promise<Fault | undefined> => {
    let no = chain.first_no;
    let hash = chain.first_hash;
    for await (const row of rows) {
      if (row.entry_no !== no + 1) return reportRow(row, "an entry before it is missing");
      hash = hashRow(hash, row);
      no += 1;
      if (row.hash !== hash) return reportRow(row, "it was changed or inserted, or an entry before it was removed");
      if (row.request !== null) {
        if (row.request_digest !== digestRequest(row.request)) return reportRow(row, "its request was changed");
      } else if (row.request_digest !== null && !(await isDeletionLogged(row)))
        return reportRow(row, "its request was removed");
      keptHash.see(row);
      if (row.owner_no !== ownerNo) continue;
      ownNo = getEntryNumber(row);
      entries += 1;
    }
    if (no === chain.entry_no && hash === chain.hash) return undefined;
    return { entry: ownNo + 1, reason: "the newest entries are missing" };
  };
  return { follow, keptHash, countEntries: () => entries };
}

/** A hash kept before owners had numbers of their own may be that of another owner's entry. */
function createKeptCheck(ownerNo: number, kept: KeptHash | undefined) {
  let isSeen = false;
  let isEqual = false;
  return {
    see(row: LogRow): void {
      if (kept === undefined || getEntryNumber(row) !== kept.entry) return;
      if (row.owner_no !== ownerNo && row.owner_entry_no !== null) return;
      isSeen = true;
      isEqual ||= row.hash === kept.hash;
    },
    findFault(last: number): Fault | undefined {
      if (kept === undefined || isEqual) return undefined;
      if (isSeen) return { entry: kept.entry, reason: "its hash differs from the one you kept" };
      return kept.entry > last ? { entry: kept.entry, reason: "the entry whose hash you kept is missing" } : undefined;
    },
  };
}
