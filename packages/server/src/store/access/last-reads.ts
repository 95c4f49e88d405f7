import type { Reading } from "../engine/engine.ts";
import { atMost, join, raw, sql } from "../engine/sql.ts";
import { shown } from "./access-log.ts";
import { entryOf, type LoggedAccess, type LogRow } from "./log-entry.ts";

/** How far back the last reads are looked for: far enough for pages, and the same work however long the log is. */
const recentEntries = 20_000;

export interface LastReads {
  /** By grant: when something was last read under it. */
  readonly at: ReadonlyMap<string, number>;
  /** What was read before that is not among them; null when the whole log was looked at. */
  readonly from: number | null;
}

export async function lastReads(on: Reading, ownerNo: number): Promise<LastReads> {
  const ends = await on.one<{ first: number | null; last: number | null }>(
    raw("SELECT min(entry_no) AS first, max(entry_no) AS last FROM access_log"),
  );
  const before = (ends?.last ?? 0) - recentEntries;
  const rows = await on.all<{ grant_ids: string; at: number }>(sql`SELECT grant_ids, max(at) AS at FROM access_log
    WHERE entry_no > ${before} AND owner_no = ${ownerNo} AND kind = 'read' GROUP BY grant_ids`);
  const at = new Map<string, number>();
  for (const row of rows) {
    const ids: string[] = JSON.parse(row.grant_ids);
    for (const id of ids) at.set(id, Math.max(at.get(id) ?? 0, row.at));
  }
  if ((ends?.first ?? 0) > before) return { at, from: null };
  const oldest = await on.one<{ at: number }>(
    sql`SELECT at FROM access_log WHERE entry_no > ${before} ORDER BY entry_no ${atMost(1)}`,
  );
  return { at, from: oldest?.at ?? null };
}

/** The newest reads under a grant, of those that are looked at. */
export async function recentReads(
  on: Reading,
  ownerNo: number,
  grantIds: readonly string[],
  limit: number,
): Promise<LoggedAccess[]> {
  const under = grantIds.map((id) => sql`replace(grant_ids, ${JSON.stringify(id)}, '') <> grant_ids`);
  const rows = await on.all<LogRow>(sql`SELECT * FROM access_log AS a
    WHERE entry_no > (SELECT COALESCE(max(entry_no), 0) FROM access_log) - ${recentEntries} AND owner_no = ${ownerNo}
      AND kind = 'read' AND (${join(under, " OR ")}) AND ${shown} ORDER BY entry_no DESC ${atMost(limit)}`);
  return rows.map(entryOf);
}
