import { type ReadTransaction, requireRow } from "../engine/engine.ts";
import { raw, sql } from "../engine/sql.ts";

export interface ImportCounts {
  readonly finished: number;
  /** Running, or ended before their end. */
  readonly unfinished: number;
  readonly lastFinishedAt: number | null;
}

/** Imports as numbers, for monitoring. Records of a source's run are no import, although they are stored as one. */
export async function countImports(on: ReadTransaction, ownerNo: number | undefined): Promise<ImportCounts> {
  const ofOwner = ownerNo === undefined ? raw("") : sql`AND owner_no = ${ownerNo}`;
  const row = await requireRow<ImportCounts>(
    on,
    sql`SELECT count(CASE WHEN is_open = 0 THEN 1 END) AS finished, count(CASE WHEN is_open > 0 THEN 1 END) AS unfinished,
      max(finished_at) AS "lastFinishedAt" FROM
      (SELECT sum(CASE WHEN finished_at IS NULL THEN 1 ELSE 0 END) AS is_open, max(finished_at) AS finished_at
        FROM import_part AS p WHERE NOT EXISTS
          (SELECT 1 FROM source_run AS r WHERE r.owner_no = p.owner_no AND r.part_no = p.part_no) ${ofOwner}
        GROUP BY owner_no, import_id) AS each_import`,
  );
  return { ...row, finished: Number(row.finished), unfinished: Number(row.unfinished) };
}
