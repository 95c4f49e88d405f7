import { PdppError } from "@pdpp/contract/errors";
import type { ReadTransaction, WriteTransaction } from "../store/engine/engine.ts";
import { loadRun, type StoredRun } from "../store/sources/runs.ts";
import { extendLease, loadSource, type StoredSource } from "../store/sources/sources.ts";
import { scaleTimeLimit } from "../time-limits.ts";

/** A run renews its lease several times in this period. If its process dies, another run can start after it. */
const leaseMs = 60_000;

export const getLeaseEnd = (now: number): number => now + scaleTimeLimit(leaseMs);

/** Extends the lease. Throws if another run has taken it since. */
export async function keepLease(on: WriteTransaction, ownerNo: number, runId: string, now: number): Promise<StoredRun> {
  const run = await requireRun(on, ownerNo, runId);
  if (await extendLease(on, ownerNo, run.sourceId, runId, getLeaseEnd(now))) return run;
  throw new PdppError("unavailable", `another run of source ${run.sourceId} has started`);
}

export async function requireSource(on: ReadTransaction, ownerNo: number, sourceId: string): Promise<StoredSource> {
  const source = await loadSource(on, ownerNo, sourceId);
  if (source !== undefined) return source;
  throw new PdppError("not_found", `there is no source ${JSON.stringify(sourceId)}`, {
    next_step: "list them with pdpp source list",
  });
}

export async function requireRun(on: ReadTransaction, ownerNo: number, runId: string): Promise<StoredRun> {
  const run = await loadRun(on, ownerNo, runId);
  if (run !== undefined) return run;
  throw new PdppError("not_found", `there is no run ${JSON.stringify(runId)}; its source was removed`);
}
