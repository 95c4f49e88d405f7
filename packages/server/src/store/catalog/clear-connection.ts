import { deleteRequestsOfConnection } from "../access/log/log-requests.ts";
import { type ReadTransaction, requireRow, type WriteTransaction } from "../engine/engine.ts";
import { limitRows, raw, type Sql, sql } from "../engine/sql.ts";
import { removeSomeWords } from "../search/indexing.ts";
import { noteWordsRemoved } from "../search/search-sweep.ts";
import { listSearchPlans, type StreamRow } from "./catalog-rows.ts";
import { tableName } from "./layout.ts";
import { lockOwner } from "./lock-owner.ts";

/** Deletes the data of removed connections in steps, between which others can write. */

export interface UnclearedConnection {
  readonly owner_no: number;
  readonly connection_no: number;
}

export const listUnclearedConnections = (on: ReadTransaction): Promise<UnclearedConnection[]> =>
  on.all<UnclearedConnection>(
    raw(`SELECT owner_no, connection_no FROM connection AS c WHERE removed_at IS NOT NULL AND (EXISTS
      (SELECT 1 FROM stream_stats AS s WHERE s.owner_no = c.owner_no AND s.connection_no = c.connection_no) OR EXISTS
      (SELECT 1 FROM import_part AS p WHERE p.owner_no = c.owner_no AND p.connection_no = c.connection_no))`),
  );

/** With their indexes, deleting this many rows takes about a tenth of a second. */
const batchRows = 1000;

/** Deletes one batch, including streams that the connector no longer declares. Returns whether nothing is left. */
export async function clearConnectionStep(
  on: WriteTransaction,
  { owner_no: ownerNo, connection_no: no }: UnclearedConnection,
): Promise<boolean> {
  await lockOwner(on, ownerNo);
  const here = sql`owner_no = ${ownerNo} AND connection_no = ${no}`;
  const streams = await on.all<StreamRow>(
    sql`SELECT * FROM stream WHERE stream_no IN (SELECT stream_no FROM stream_stats WHERE ${here}) ORDER BY stream_no`,
  );
  for (const stream of streams) {
    const ofStream = sql`${here} AND stream_no = ${stream.stream_no}`;
    if (await deleteBatch(on, tableName(stream.stream_no), here, "key")) return false;
    for (const table of ["record_history", "blob_use", "import_record"])
      if (await deleteBatch(on, table, ofStream, "key")) return false;
    for (const plan of listSearchPlans(stream)) if (await removeSomeWords(on, plan, ownerNo, no)) return false;
  }
  for (const table of ["long_record", "long_text"]) if (await deleteBatch(on, table, here, "version")) return false;
  if (await deleteBatch(on, "import_aside", here, "n")) return false;
  if (await deleteBatch(on, "import_file", here, "name")) return false;
  for (const { stream_no } of streams) await noteWordsRemoved(on, stream_no);
  // These rows mark the connection as uncleared, so they go last: an interrupted clearing starts again.
  for (const table of ["import_memory", "import_part", "stream_stats"])
    await on.run(sql`DELETE FROM ${raw(table)} WHERE ${here}`);
  const { connection_id: id } = await requireRow<{ connection_id: string }>(
    on,
    sql`SELECT connection_id FROM connection WHERE ${here}`,
  );
  await deleteRequestsOfConnection(on, ownerNo, id);
  return true;
}

/** Deletes rows up to a value of `order`, and all rows with that value. Returns whether there were any. */
async function deleteBatch(
  on: WriteTransaction,
  table: string,
  where: Sql,
  order: "key" | "version" | "n" | "name",
): Promise<boolean> {
  const by = raw(order);
  const some = await on.all<{ at: string | number }>(
    sql`SELECT ${by} AS at FROM ${raw(table)} WHERE ${where} ORDER BY ${by} ${limitRows(batchRows)}`,
  );
  const last = some.at(-1)?.at;
  if (last === undefined) return false;
  await on.run(sql`DELETE FROM ${raw(table)} WHERE ${where} AND ${by} <= ${last}`);
  return true;
}
