import type { FileCount } from "@pdpp/contract/owner";
import { type ReadTransaction, requireRow } from "../engine/engine.ts";
import { limitRows, type Sql, sql } from "../engine/sql.ts";

/** The number and size of files, counted up to a limit because someone is waiting. */

const maxFilesCounted = 100_000;

async function countFiles(on: ReadTransaction, sizes: Sql): Promise<FileCount> {
  const row = await requireRow<{ count: number; bytes: number }>(
    on,
    sql`SELECT count(*) AS count, COALESCE(sum(size_bytes), 0) AS bytes FROM (${sizes} ${limitRows(maxFilesCounted)}) AS held`,
  );
  const count = Number(row.count);
  return { count, bytes: Number(row.bytes), is_whole: count < maxFilesCounted };
}

export const countOwnerFiles = (on: ReadTransaction, ownerNo: number): Promise<FileCount> =>
  countFiles(on, sql`SELECT size_bytes FROM blob WHERE owner_no = ${ownerNo}`);

export const countConnectionFiles = (on: ReadTransaction, ownerNo: number, connectionNo: number): Promise<FileCount> =>
  countFiles(
    on,
    sql`SELECT size_bytes FROM blob AS b JOIN (SELECT DISTINCT blob_id FROM
      (SELECT blob_id FROM blob_use WHERE owner_no = ${ownerNo} AND connection_no = ${connectionNo}
        AND stream_no IN (SELECT stream_no FROM stream_stats WHERE owner_no = ${ownerNo} AND connection_no = ${connectionNo})
        ${limitRows(maxFilesCounted)}) AS used) AS u
      ON b.blob_id = u.blob_id WHERE b.owner_no = ${ownerNo}`,
  );
