import type { LogOutcome, LogPageQuery } from "@pdpp/contract/owner";
import type { ReadTransaction } from "../../engine/engine.ts";
import { parseStoredJson } from "../../engine/json.ts";
import { joinAnd, limitRows, raw, type Sql, sql } from "../../engine/sql.ts";
import { isLatestPhase, matchGrants, maxEntriesScanned } from "./access-log.ts";
import { containsId, decodeEntry, getEntryNumber, type LoggedAccess, type LogRow } from "./log-entry.ts";
import { entryNumber, loadLogEnds } from "./log-numbers.ts";

type GrantedQuery = Omit<LogPageQuery, "grant"> & { readonly grantIds?: readonly string[] | undefined };

const outcomes: Readonly<Record<LogOutcome, Sql>> = {
  answered: raw("status < 400 AND outcome = 'finished'"),
  refused: raw("status >= 400"),
  early: raw("status < 400 AND outcome IN ('cut', 'unfinished')"),
  running: raw("outcome = 'running'"),
};

export async function loadLogPage(
  on: ReadTransaction,
  ownerNo: number,
  { before, after, kind, client, grantIds, connection, outcome, limit }: GrantedQuery,
): Promise<{ readonly entries: LoggedAccess[]; readonly next: number | null; readonly last: number }> {
  const ends = await loadLogEnds(on, ownerNo);
  const newest = ends.last + 1;
  const top = Math.min(before ?? newest, newest);
  const bottom = Math.max(top - maxEntriesScanned, (after ?? -1) + 1);
  const conditions = [
    sql`owner_no = ${ownerNo} AND ${entryNumber} < ${top} AND ${entryNumber} >= ${bottom}`,
    isLatestPhase,
  ];
  if (kind !== undefined) conditions.push(sql`kind = ${kind}`);
  if (client !== undefined) conditions.push(sql`client = ${client}`);
  if (grantIds !== undefined) conditions.push(matchGrants(grantIds));
  if (connection !== undefined) conditions.push(containsId("connection_ids", connection));
  if (outcome !== undefined) conditions.push(outcomes[outcome]);
  const rows = await on.all<LogRow>(
    sql`SELECT * FROM access_log AS a WHERE ${joinAnd(conditions)} ORDER BY ${entryNumber} DESC ${limitRows(limit + 1)}`,
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const rest = bottom > Math.max(ends.first, (after ?? -1) + 1) ? bottom : null;
  const next = rows.length > limit && last !== undefined ? getEntryNumber(last) : rest;
  return { entries: page.map(decodeEntry), next, last: newest - 1 };
}

/** The latest phase of an entry that an owner may see. */
export async function findEntry(
  on: ReadTransaction,
  ownerNo: number,
  entryNo: number,
): Promise<LoggedAccess | undefined> {
  const row = await on.one<LogRow>(
    sql`SELECT * FROM access_log WHERE owner_no = ${ownerNo} AND ${entryNumber} = ${entryNo}`,
  );
  return row && decodeEntry(row);
}

/** The grants that the owner revoked at that time, together with one of these. */
export async function findGrantsRevokedByOwner(
  on: ReadTransaction,
  ownerNo: number,
  at: number,
  grantIds: readonly string[],
): Promise<readonly string[] | undefined> {
  const { last } = await loadLogEnds(on, ownerNo);
  const row = await on.one<{ grant_ids: string }>(
    sql`SELECT grant_ids FROM access_log WHERE owner_no = ${ownerNo} AND ${entryNumber} > ${last - maxEntriesScanned}
      AND kind = 'act' AND operation = 'grant.revoke' AND at = ${at} AND ${matchGrants(grantIds)} ${limitRows(1)}`,
  );
  return row && parseStoredJson(row.grant_ids);
}

export interface DailyReads {
  readonly client: string;
  /** Days since 1970. */
  readonly day: number;
  readonly reads: number;
  readonly records: number;
}

/** Reads per client and day since a time, within the newest entries, for all grants or for some. */
export async function countReadsByDay(
  on: ReadTransaction,
  ownerNo: number,
  since: number,
  grantIds?: readonly string[],
): Promise<DailyReads[]> {
  const under = grantIds === undefined ? raw("grant_ids <> '[]'") : matchGrants(grantIds);
  const { last } = await loadLogEnds(on, ownerNo);
  return on.all<DailyReads>(
    sql`SELECT client, CAST(at AS BIGINT) / 86400000 AS day, sum(times) AS reads, sum(records) AS records FROM access_log
    WHERE owner_no = ${ownerNo} AND ${entryNumber} > ${last - maxEntriesScanned}
      AND kind = 'read' AND phase <> 'begin' AND ${under} AND at >= ${since}
    GROUP BY client, CAST(at AS BIGINT) / 86400000 ORDER BY client, day`,
  );
}
