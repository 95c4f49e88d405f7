import type { ReadTransaction } from "../../engine/engine.ts";
import { parseStoredJson } from "../../engine/json.ts";
import { joinAnd, limitRows, raw, type Sql, sql } from "../../engine/sql.ts";
import { isLatestPhase, matchGrants, maxEntriesScanned } from "./access-log.ts";
import { containsId } from "./log-entry.ts";
import { entryNumber, loadLogEnds } from "./log-numbers.ts";
import { decodeVersions, type LoggedVersions } from "./log-versions.ts";

/** Which reads returned which records. The cost of a query does not depend on the length of the log; a query can be continued. */

export interface ScannedRange {
  /** Where to continue; null if there is nothing older. */
  readonly next: number | null;
  /** The time of the oldest scanned entry; null if there is nothing older. */
  readonly since: number | null;
}

interface ReadEntry {
  at: number;
  client: string;
  grant_ids: string;
  operation: string;
  stream: string | null;
  outcome: string;
  versions: string | null;
}

async function listReads(
  on: ReadTransaction,
  ownerNo: number,
  before: number | undefined,
  conditions: readonly Sql[],
): Promise<ScannedRange & { readonly reads: ReadEntry[] }> {
  const ends = await loadLogEnds(on, ownerNo);
  const newest = ends.last + 1;
  const top = Math.min(before ?? newest, newest);
  const bottom = top - maxEntriesScanned;
  const here = sql`owner_no = ${ownerNo} AND ${entryNumber} < ${top} AND ${entryNumber} >= ${bottom} AND kind = 'read' AND status < 400`;
  const reads = await on.all<ReadEntry>(
    sql`SELECT at, client, grant_ids, operation, stream, outcome, versions FROM access_log AS a
      WHERE ${joinAnd([here, ...conditions, isLatestPhase])} ORDER BY ${entryNumber} DESC`,
  );
  if (bottom <= ends.first) return { reads, next: null, since: null };
  const oldest = await on.one<{ at: number }>(
    sql`SELECT at FROM access_log WHERE owner_no = ${ownerNo} AND ${entryNumber} >= ${bottom} ORDER BY ${entryNumber} ${limitRows(1)}`,
  );
  return { reads, next: bottom, since: oldest?.at ?? null };
}

/** An export logs its records when it ends. One that has not ended may have returned anything. */
const openExport = raw("(operation = 'export' AND outcome IN ('running', 'unfinished'))");
const releasedRecords = sql`(versions IS NOT NULL OR records > 0 OR ${openExport})`;

/** The records of an entry: the listed ones, and, if the list is incomplete, the highest version. */
function decodeRecords({ operation, outcome, versions }: ReadEntry): LoggedVersions {
  const { listed, upTo } = versions === null ? { listed: [], upTo: anyVersion } : decodeVersions(versions);
  if (operation === "export" && (outcome === "running" || outcome === "unfinished"))
    return { listed, upTo: anyVersion };
  return upTo === undefined ? { listed } : { listed, upTo };
}

const anyVersion = Number.POSITIVE_INFINITY;

export interface ReadCount {
  readonly times: number;
  readonly lastAt: number;
}

const addReading = (held: ReadCount | undefined, at: number): ReadCount => ({
  times: (held?.times ?? 0) + 1,
  lastAt: Math.max(held?.lastAt ?? 0, at),
});

export interface RecordReader {
  readonly client: string;
  readonly grantIds: readonly string[];
  readonly sure?: ReadCount;
  /** Responses that may have contained it, because their list is incomplete or missing. */
  readonly perhaps?: ReadCount;
}

interface RecordVersions {
  readonly connectionId: string;
  readonly stream: string;
  readonly versions: readonly number[];
}

export async function findReaders(
  on: ReadTransaction,
  ownerNo: number,
  { connectionId, stream, versions }: RecordVersions,
  before?: number,
): Promise<ScannedRange & { readonly readers: RecordReader[] }> {
  const { reads, ...looked } = await listReads(on, ownerNo, before, [
    sql`(${containsId("connection_ids", connectionId)} OR ${openExport})`,
    releasedRecords,
  ]);
  const known = new Set(versions);
  const oldest = Math.min(...versions);
  const readers = new Map<string, RecordReader>();
  for (const read of reads) {
    const { at, client, grant_ids } = read;
    const { listed, upTo } = decodeRecords(read);
    const isSure = listed.some((version) => known.has(version));
    // A list of one stream contains other streams only as related records.
    const hasOthers = read.versions !== null && read.operation !== "export";
    const isOfStream = read.stream === null || read.stream === stream || hasOthers;
    if (!isSure && (upTo === undefined || upTo < oldest || !isOfStream)) continue;
    const held = readers.get(client);
    const ids = parseStoredJson<string[]>(grant_ids);
    readers.set(client, {
      ...held,
      client,
      grantIds: [...new Set([...(held?.grantIds ?? []), ...ids])],
      ...(isSure ? { sure: addReading(held?.sure, at) } : { perhaps: addReading(held?.perhaps, at) }),
    });
  }
  return { ...looked, readers: [...readers.values()] };
}

const maxVersions = 50_000;

export async function listVersionsReadUnder(
  on: ReadTransaction,
  ownerNo: number,
  grantIds: readonly string[],
  before?: number,
): Promise<ScannedRange & { readonly versions: ReadonlyMap<number, ReadCount>; readonly unlisted: number }> {
  const { reads, ...looked } = await listReads(on, ownerNo, before, [matchGrants(grantIds), releasedRecords]);
  const versions = new Map<number, ReadCount>();
  let unlisted = 0;
  for (const read of reads) {
    const { listed, upTo } = decodeRecords(read);
    if (upTo !== undefined) unlisted += 1;
    for (const version of listed)
      if (versions.has(version) || versions.size < maxVersions)
        versions.set(version, addReading(versions.get(version), read.at));
  }
  return { ...looked, versions, unlisted };
}
