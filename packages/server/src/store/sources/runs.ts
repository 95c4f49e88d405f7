import type { ImportTally } from "@pdpp/contract/imports";
import type { CollectionMode, RunReport, RunStatus } from "@pdpp/contract/sources";
import type { ReadTransaction, WriteTransaction } from "../engine/engine.ts";
import { parseStoredJson } from "../engine/json.ts";
import { aliasColumns, limitRows, raw, type Sql, sql } from "../engine/sql.ts";
import { emptyTally } from "../imports/imports.ts";
import { matchSource } from "./sources.ts";

export interface StoredRun {
  readonly runNo: number;
  readonly sourceId: string;
  readonly runId: string;
  readonly mode: CollectionMode;
  readonly version: string;
  readonly status: RunStatus;
  readonly startedAt: number;
  readonly finishedAt: number | null;
  /** The part that its records belong to; null until it has stored one. */
  readonly partNo: number | null;
  readonly report: RunReport;
  readonly tally: ImportTally;
}

const columns = aliasColumns(
  "run_no, source_id, run_id, mode, version, status, started_at, finished_at, part_no, report",
);

type RunRow = Omit<StoredRun, "report" | "tally"> & { readonly report: string; readonly tally: string | null };

async function selectRuns(on: ReadTransaction, condition: Sql): Promise<StoredRun[]> {
  const rows = await on.all<RunRow>(
    sql`SELECT ${columns}, (SELECT tally FROM import_part AS p
      WHERE p.owner_no = source_run.owner_no AND p.part_no = source_run.part_no) AS tally FROM source_run WHERE ${condition}`,
  );
  return rows.map(({ report, tally, ...row }) => ({
    ...row,
    report: parseStoredJson(report),
    tally: tally === null ? emptyTally : parseStoredJson(tally),
  }));
}

export async function loadRun(on: ReadTransaction, ownerNo: number, runId: string): Promise<StoredRun | undefined> {
  return (await selectRuns(on, sql`owner_no = ${ownerNo} AND run_id = ${runId}`))[0];
}

export const listLatestRuns = (
  on: ReadTransaction,
  ownerNo: number,
  sourceId: string,
  limit: number,
  before = Number.MAX_SAFE_INTEGER,
): Promise<StoredRun[]> =>
  selectRuns(
    on,
    sql`${matchSource(ownerNo, sourceId)} AND run_no < ${before} ORDER BY run_no DESC ${limitRows(limit)}`,
  );

/** When the first failure since the last success ended; null if it is no longer kept. */
export async function findFailingSince(
  on: ReadTransaction,
  ownerNo: number,
  { sourceId, lastSuccessAt }: { readonly sourceId: string; readonly lastSuccessAt: number | null },
): Promise<number | null> {
  const row = await on.one<{ at: number | null }>(sql`SELECT min(finished_at) AS at FROM source_run
    WHERE ${matchSource(ownerNo, sourceId)} AND status = 'failed' AND finished_at > ${lastSuccessAt ?? 0}`);
  return row?.at ?? null;
}

export async function insertRun(
  on: WriteTransaction,
  ownerNo: number,
  run: Pick<StoredRun, "sourceId" | "runId" | "mode" | "version" | "startedAt">,
): Promise<void> {
  await on.run(sql`INSERT INTO source_run (owner_no, source_id, run_id, mode, version, status, started_at, report)
    VALUES (${ownerNo}, ${run.sourceId}, ${run.runId}, ${run.mode}, ${run.version}, 'running', ${run.startedAt}, '{}')`);
}

export const setRunPart = (on: WriteTransaction, ownerNo: number, runId: string, partNo: number): Promise<number> =>
  on.run(sql`UPDATE source_run SET part_no = ${partNo} WHERE owner_no = ${ownerNo} AND run_id = ${runId}`);

export const endRun = (
  on: WriteTransaction,
  ownerNo: number,
  runId: string,
  { status, report, now }: { readonly status: RunStatus; readonly report: RunReport; readonly now: number },
): Promise<number> =>
  on.run(sql`UPDATE source_run SET status = ${status}, report = ${JSON.stringify(report)}, finished_at = ${now}
    WHERE owner_no = ${ownerNo} AND run_id = ${runId}`);

/** Runs whose process died: they are marked when the next one takes the lease. */
export const interruptRuns = (on: WriteTransaction, ownerNo: number, sourceId: string, now: number): Promise<number> =>
  on.run(sql`UPDATE source_run SET status = 'interrupted', finished_at = ${now}
    WHERE ${matchSource(ownerNo, sourceId)} AND status = 'running'`);

/** A source that runs every minute would otherwise keep half a million runs a year. */
const maxKeptRuns = 500;

export async function deleteOldRuns(on: WriteTransaction, ownerNo: number, sourceId: string): Promise<void> {
  const here = matchSource(ownerNo, sourceId);
  await on.run(sql`DELETE FROM source_run WHERE ${here} AND run_no <=
    (SELECT run_no FROM source_run WHERE ${here} ORDER BY run_no DESC LIMIT 1 OFFSET ${raw(String(maxKeptRuns))})`);
}
