import type { ReadTransaction } from "../engine/engine.ts";
import { parseStoredJson } from "../engine/json.ts";
import { aliasColumns, limitRows, sql } from "../engine/sql.ts";
import { runFormat, type StoredPart } from "./imports.ts";

/** The first parts of the latest imports that began before the part `before`, newest first. */
export async function listLatestImports(
  on: ReadTransaction,
  ownerNo: number,
  limit: number,
  before: number,
): Promise<{ readonly importId: string; readonly firstPart: number }[]> {
  return on.all(
    sql`SELECT import_id AS "importId", MIN(part_no) AS "firstPart" FROM import_part WHERE owner_no = ${ownerNo} AND format <> ${runFormat}
      GROUP BY import_id HAVING MIN(part_no) < ${before} ORDER BY 2 DESC ${limitRows(limit)}`,
  );
}

/** The answers of the latest part imported into a connection; a part with the same label takes precedence. */
export async function loadLatestAnswers(
  on: ReadTransaction,
  ownerNo: number,
  connectionNo: number,
  label: string,
): Promise<Pick<StoredPart, "label" | "answers"> | null> {
  const row = await on.one<{ label: string; answers: string }>(
    sql`SELECT label, answers FROM import_part WHERE owner_no = ${ownerNo} AND connection_no = ${connectionNo}
      AND format <> ${runFormat} ORDER BY CASE WHEN label = ${label} THEN 0 ELSE 1 END, part_no DESC LIMIT 1`,
  );
  return row === undefined ? null : { label: row.label, answers: parseStoredJson(row.answers) };
}

export type PartSummary = Pick<StoredPart, "label" | "startedAt" | "finishedAt" | "tally">;

/** Without the names of its files: there may be many. */
export async function listPartSummaries(
  on: ReadTransaction,
  ownerNo: number,
  importId: string,
): Promise<PartSummary[]> {
  const rows = await on.all<Omit<PartSummary, "tally"> & { readonly tally: string }>(
    sql`SELECT ${aliasColumns("label, started_at, finished_at, tally")} FROM import_part
      WHERE owner_no = ${ownerNo} AND import_id = ${importId} ORDER BY part_no`,
  );
  return rows.map(({ tally, ...part }) => ({ ...part, tally: parseStoredJson(tally) }));
}
