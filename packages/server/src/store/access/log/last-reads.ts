import type { LastReads } from "@pdpp/contract/owner";
import type { ReadTransaction } from "../../engine/engine.ts";
import { parseStoredJson } from "../../engine/json.ts";
import { limitRows, sql } from "../../engine/sql.ts";
import { maxEntriesScanned } from "./access-log.ts";
import { entryNumber, loadLogEnds } from "./log-numbers.ts";

export async function findLastReads(on: ReadTransaction, ownerNo: number): Promise<LastReads> {
  const { first, last } = await loadLogEnds(on, ownerNo);
  const before = last - maxEntriesScanned;
  const rows = await on.all<{ grant_ids: string; at: number }>(sql`SELECT grant_ids, max(at) AS at FROM access_log
    WHERE owner_no = ${ownerNo} AND ${entryNumber} > ${before} AND kind = 'read' GROUP BY grant_ids`);
  const at = new Map<string, number>();
  for (const row of rows) {
    const ids = parseStoredJson<string[]>(row.grant_ids);
    for (const id of ids) at.set(id, Math.max(at.get(id) ?? 0, row.at));
  }
  if (first > before) return { at, from: null };
  const oldest = await on.one<{ at: number }>(
    sql`SELECT at FROM access_log WHERE owner_no = ${ownerNo} AND ${entryNumber} > ${before} ORDER BY ${entryNumber} ${limitRows(1)}`,
  );
  return { at, from: oldest?.at ?? null };
}
