import { requireRow, type WriteTransaction } from "../engine/engine.ts";
import { sql } from "../engine/sql.ts";
import { deleteLongTexts } from "./long-text.ts";

/**
 * Deletes what was replaced or deleted before a time; earlier bookmarks then get `cursor_expired`. Returns the number of deleted
 * versions.
 */
export async function pruneHistory(on: WriteTransaction, ownerNo: number, before: number): Promise<number> {
  await on.run(sql`UPDATE owner SET pruned_before = ${before}
    WHERE owner_no = ${ownerNo} AND (pruned_before IS NULL OR pruned_before < ${before})`);
  await deleteTombstones(on, ownerNo, before);
  const row = await on.one<{ version: number | null }>(sql`SELECT max(until_version) AS version FROM record_history
    WHERE owner_no = ${ownerNo} AND ended_at < ${before}`);
  if (row === undefined || row.version === null) return 0;
  await on.run(
    sql`UPDATE owner SET pruned_version = ${row.version} WHERE owner_no = ${ownerNo} AND pruned_version < ${row.version}`,
  );
  await deleteLongTexts(on, ownerNo, before);
  return on.run(sql`DELETE FROM record_history WHERE owner_no = ${ownerNo} AND ended_at < ${before}`);
}

/** Revisions of new records start at the next multiple of this, so that they do not reveal how often pruned records had changed. */
const floorStep = 1000;

/** A key must never reuse a revision. Since pruned keys are unknown, the floor applies to all keys. */
async function deleteTombstones(on: WriteTransaction, ownerNo: number, before: number): Promise<void> {
  const forgotten = sql`owner_no = ${ownerNo} AND ended_at IS NULL AND deleted_at < ${before}`;
  const groups = await on.all<{ stream_no: number; connection_no: number; n: number; revision: number }>(
    sql`SELECT stream_no, connection_no, count(*) AS n, max(revision) AS revision FROM record_history WHERE ${forgotten}
      GROUP BY stream_no, connection_no`,
  );
  for (const { stream_no, connection_no, n } of groups) {
    await on.run(sql`UPDATE stream_stats SET tombstones = tombstones - ${n}
      WHERE owner_no = ${ownerNo} AND stream_no = ${stream_no} AND connection_no = ${connection_no}`);
  }
  const owner = await requireRow<{ revision_floor: number }>(
    on,
    sql`SELECT revision_floor FROM owner WHERE owner_no = ${ownerNo}`,
  );
  const highest = Math.max(owner.revision_floor, ...groups.map(({ revision }) => revision));
  const floor = (Math.floor(highest / floorStep) + 1) * floorStep;
  await on.run(sql`UPDATE owner SET revision_floor = ${floor} WHERE owner_no = ${ownerNo}`);
  await on.run(sql`DELETE FROM record_history WHERE ${forgotten}`);
}
