import type { RunStatus, SourceKind } from "@pdpp/contract/sources";
import type { ReadTransaction } from "../engine/engine.ts";
import { raw, type Sql, sql } from "../engine/sql.ts";

/** Sources and runs as numbers, for monitoring: nothing in them names a source. */

type SourceState = "ok" | "failing" | "paused" | "running";

export interface SourceCount {
  readonly kind: SourceKind;
  readonly state: SourceState;
  readonly count: number;
  readonly due: number;
  /** Of the source that has had no success for longest; when it was added, if it never had one. */
  readonly oldestSuccessAt: number | null;
}

const ofOwner = (ownerNo: number | undefined, prefix = ""): Sql =>
  ownerNo === undefined ? raw("") : sql`WHERE ${raw(prefix)}owner_no = ${ownerNo}`;

export async function countSources(
  on: ReadTransaction,
  ownerNo: number | undefined,
  now: number,
): Promise<SourceCount[]> {
  const rows = await on.all<SourceCount>(
    sql`SELECT kind, state, count(*) AS count, sum(is_due) AS due, min(success_at) AS "oldestSuccessAt" FROM
      (SELECT kind, COALESCE(last_success_at, created_at) AS success_at,
        CASE WHEN paused_at IS NOT NULL THEN 'paused' WHEN lease_until >= ${now} THEN 'running'
          WHEN failures > 0 THEN 'failing' ELSE 'ok' END AS state,
        CASE WHEN next_run_at <= ${now} AND paused_at IS NULL AND kind <> 'push'
          AND (lease_until IS NULL OR lease_until < ${now}) THEN 1 ELSE 0 END AS is_due
        FROM source ${ofOwner(ownerNo)}) AS each_source
      GROUP BY kind, state ORDER BY kind, state`,
  );
  return rows.map((row) => ({ ...row, count: Number(row.count), due: Number(row.due) }));
}

export interface RunCount {
  readonly kind: SourceKind;
  readonly status: RunStatus;
  readonly count: number;
  readonly lastAt: number | null;
}

export async function countRuns(on: ReadTransaction, ownerNo: number | undefined): Promise<RunCount[]> {
  const rows = await on.all<RunCount>(
    sql`SELECT s.kind AS kind, r.status AS status, count(*) AS count, max(COALESCE(r.finished_at, r.started_at)) AS "lastAt"
      FROM source_run AS r JOIN source AS s ON s.owner_no = r.owner_no AND s.source_id = r.source_id
      ${ofOwner(ownerNo, "r.")} GROUP BY s.kind, r.status ORDER BY s.kind, r.status`,
  );
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}
