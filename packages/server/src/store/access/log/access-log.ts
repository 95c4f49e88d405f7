import type { Engine, ReadTransaction } from "../../engine/engine.ts";
import { join, joinAnd, limitRows, raw, type Sql, sql } from "../../engine/sql.ts";
import { type JournalItem, listUnended, writeJournal } from "./log-chain.ts";
import { type AccessEntry, containsId, decodeEntry, type LoggedAccess, type LogRow } from "./log-entry.ts";
import { findOrphanedJournals, openJournal } from "./log-journal.ts";
import { entryNumber } from "./log-numbers.ts";
import { createRefusalCounter } from "./log-refusals.ts";

/** The access log of a server. An entry is written to a journal before its response is sent, and to the vault a moment later. */
export interface AccessLog {
  /**
   * Returns whether the entry is safely stored. An entry that must be kept and cannot be is dropped, and its response must not be
   * sent.
   */
  note(entry: AccessEntry, need?: Need): boolean;
  /**
   * Starts the entry of a long response. `current` returns its latest state, in case the vault is closed before the response ends.
   */
  begin(entry: AccessEntry, current: () => AccessEntry, need?: Need): OpenEntry | undefined;
  /** Logs a refused request. Refusals with the same key are counted, and logged together now and then. */
  refuse(key: string, entry: AccessEntry): void;
  /** Reserves disk space for entries. */
  prepare(): void;
  /** Writes pending entries to the vault. Failed writes are retried automatically. */
  flush(): Promise<void>;
  /** Takes over the entries of processes that have died. */
  adopt(): Promise<void>;
  close(): Promise<void>;
}

export interface OpenEntry {
  end(entry: AccessEntry): void;
}

type Need = "must keep";

export interface AccessLogOptions {
  /** Contains the journals of this vault only. */
  readonly folder: string;
  readonly onError: (error: unknown) => void;
  readonly limits?: { readonly journalBytes: number; readonly waiting: number };
  /** In addition to journals whose process has ended. */
  readonly isDead?: (journalId: string) => boolean;
}

const flushAfterMs = 200;
const flushAtEntries = 500;
const retryMs = 1000;
const maxEntriesPerWrite = 2000;
/** Enough for about ten thousand reads while the vault cannot be written. */
const defaultLimits = { journalBytes: 2 * 1024 * 1024, waiting: 50_000 };

interface PendingItem extends JournalItem {
  readonly line: number;
}

export function openAccessLog(
  engine: Engine,
  { folder, onError: onFault, limits: room = defaultLimits, isDead }: AccessLogOptions,
): AccessLog {
  const journal = openJournal(folder, room.journalBytes);
  const open = new Map<number, () => AccessEntry>();
  let pending: PendingItem[] = [];
  /** How many entries of each owner. */
  const lost = new Map<number, number>();
  let lastNo = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  let isFailing = false;

  const schedule = (): void => {
    if (pending.length >= flushAtEntries && !isFailing) void flush();
    else timer ??= setTimeout(() => void flush(), isFailing ? retryMs : flushAfterMs).unref();
  };
  const add = (item: JournalItem, need: Need | undefined): boolean => {
    const kept = journal.append(item);
    if (kept || pending.length < room.waiting) {
      if (!kept && need === "must keep") return false;
      pending.push({ ...item, line: journal.lines });
    } else if (need === "must keep") return false;
    else lost.set(item.entry.ownerNo, (lost.get(item.entry.ownerNo) ?? 0) + 1);
    schedule();
    return kept;
  };
  const drain = async (): Promise<void> => {
    journal.rotate();
    while (pending.length > 0 || lost.size > 0) {
      const part = pending.slice(0, maxEntriesPerWrite);
      const gaps = [...lost];
      const more = gaps.map(([ownerNo, count]): JournalItem => {
        lastNo += 1;
        return { no: lastNo, state: "ended", entry: createGapEntry(ownerNo, count) };
      });
      await engine.write((on) => writeJournal(on, journal.id, [...part, ...more]));
      pending = pending.slice(part.length);
      for (const [ownerNo, count] of gaps) {
        const later = (lost.get(ownerNo) ?? 0) - count;
        if (later > 0) lost.set(ownerNo, later);
        else lost.delete(ownerNo);
      }
      journal.markWritten(pending[0] === undefined ? journal.lines : pending[0].line - 1);
    }
    isFailing = false;
  };
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(drain).catch((error) => {
      if (!isFailing) onFault(error);
      isFailing = true;
      schedule();
    });
    return writing;
  };
  const end = (no: number, entry: AccessEntry): void => {
    if (open.delete(no)) add({ no, state: "ended", entry }, undefined);
  };

  const note = (entry: AccessEntry, need?: Need): boolean => {
    lastNo += 1;
    return add({ no: lastNo, state: "ended", entry }, need);
  };
  const refusals = createRefusalCounter(note);

  return {
    note,
    refuse: refusals.refuse,
    begin(entry, current, need) {
      lastNo += 1;
      const no = lastNo;
      if (!add({ no, state: "begun", entry: { ...entry, outcome: "running" } }, need) && need !== undefined)
        return undefined;
      open.set(no, current);
      return { end: (ended) => end(no, ended) };
    },
    prepare: journal.prepare,
    flush,
    async adopt() {
      for (const left of findOrphanedJournals(folder, isDead && ((id) => id !== journal.id && isDead(id)))) {
        await engine.write(async (on) => {
          const ended = new Set(left.items.filter(({ state }) => state === "ended").map(({ no }) => no));
          const unfinished = [...left.items, ...(await listUnended(on, left.id))]
            .filter(({ no }) => !ended.has(no))
            .map(({ no, entry }) => ({
              no,
              state: "ended" as const,
              entry: { ...entry, outcome: "unfinished" as const },
            }));
          const unique = new Map(unfinished.map((item) => [`${item.no} ${item.entry.ownerNo}`, item]));
          await writeJournal(on, left.id, [...left.items, ...unique.values()]);
        });
        left.remove();
      }
    },
    async close() {
      refusals.close();
      for (const [no, current] of open) end(no, { ...current(), outcome: "cut" });
      await flush();
      clearTimeout(timer);
      // Entries that could not be written are left to the next process.
      if (pending.length === 0 && lost.size === 0) journal.remove();
    },
  };
}

const createGapEntry = (ownerNo: number, count: number): AccessEntry => ({
  ownerNo,
  at: Date.now(),
  requestId: "-",
  client: "-",
  grantIds: [],
  operation: "log.gap",
  connectionIds: [],
  stream: null,
  status: 503,
  records: 0,
  bytes: 0,
  kind: "act",
  times: count,
});

/** Once a long response has ended, the row of its end replaces the row of its beginning. */
export const isLatestPhase = raw(`(phase <> 'begin' OR NOT EXISTS (SELECT 1 FROM access_log AS b
  WHERE b.owner_no = a.owner_no AND b.journal_id = a.journal_id AND b.journal_no = a.journal_no AND b.phase = 'end'))`);

export const matchGrants = (ids: readonly string[]): Sql => {
  const matches = ids.map((id) => containsId("grant_ids", id));
  return matches.length === 0 ? raw("1 = 0") : sql`(${join(matches, " OR ")})`;
};

/** Queries scan at most this many entries, so that their cost does not depend on the length of the log. */
export const maxEntriesScanned = 20_000;

/**
 * Entries in order: the newest `limit`, or, with `after`, those that follow it. A long response is listed when it begins, and again
 * when it ends.
 */
export async function readAccessLog(
  on: ReadTransaction,
  ownerNo: number,
  query: { readonly grantIds?: readonly string[]; readonly after?: number; readonly limit: number },
): Promise<LoggedAccess[]> {
  const conditions = [sql`owner_no = ${ownerNo}`];
  if (query.after !== undefined) conditions.push(sql`${entryNumber} > ${query.after}`);
  else conditions.push(isLatestPhase);
  if (query.grantIds !== undefined) conditions.push(matchGrants(query.grantIds));
  const newestFirst = query.after === undefined;
  const order = raw(newestFirst ? "DESC" : "ASC");
  const rows = await on.all<LogRow>(
    sql`SELECT * FROM access_log AS a WHERE ${joinAnd(conditions)} ORDER BY ${entryNumber} ${order} ${limitRows(query.limit)}`,
  );
  if (newestFirst) rows.reverse();
  return rows.map(decodeEntry);
}
