import type { LastReads } from "@pdpp/contract/owner";
import { type ReadTransaction, requireRow } from "../engine/engine.ts";
import { parseStoredJson } from "../engine/json.ts";
import { limitRows, raw, sql } from "../engine/sql.ts";

/** How far back to look for the last reads, so that the cost does not depend on the length of the log. */
const maxEntriesScanned = 20_000;

export async function findLastReads(on: ReadTransaction, ownerNo: number): Promise<LastReads> {
  const ends = await requireRow<{ first: number | null; last: number | null }>(
    on,
    raw("SELECT min(entry_no) AS first, max(entry_no) AS last FROM access_log"),
  );
  const before = (ends.last ?? 0) - maxEntriesScanned;
  const rows = await on.all<{ grant_ids: string; at: number }>(sql`SELECT grant_ids, max(at) AS at FROM access_log
    WHERE entry_no > ${before} AND owner_no = ${ownerNo} AND kind = 'read' GROUP BY grant_ids`);
  const at = new Map<string, number>();
  for (const row of rows) {
    const ids = parseStoredJson<string[]>(row.grant_ids);
    for (const id of ids) at.set(id, Math.max(at.get(id) ?? 0, row.at));
  }
  if ((ends.first ?? 0) > before) return { at, from: null };
  const oldest = await on.one<{ at: number }>(
    sql`SELECT at FROM access_log WHERE entry_no > ${before} ORDER BY entry_no ${limitRows(1)}`,
  );
  return { at, from: oldest?.at ?? null };
}
