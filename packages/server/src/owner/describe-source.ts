import type { JsonObject } from "@pdpp/contract/declaration";
import { formatInstant } from "@pdpp/contract/instant";
import { credentialsRecovery, type RunDocument, type SourceDocument } from "@pdpp/contract/sources";
import type { Connection } from "../store/catalog/connections.ts";
import type { StoredRun } from "../store/sources/runs.ts";
import { requested, resolveSchedule } from "../store/sources/schedule.ts";
import type { StoredSource } from "../store/sources/sources.ts";

/** Data for a source's document besides its row. */
interface SourceParts {
  readonly connection: Connection | undefined;
  readonly manifest: JsonObject | undefined;
  readonly lastRun: StoredRun | undefined;
  readonly failingSince: number | null;
  readonly now: number;
}

export function describeSource(
  source: StoredSource,
  { connection, manifest, lastRun, failingSince, now }: SourceParts,
): SourceDocument {
  const isRunning = source.leaseUntil !== null && source.leaseUntil >= now;
  return {
    object: "source",
    source_id: source.sourceId,
    kind: source.kind,
    ...(connection === undefined ? {} : { connection_id: connection.id }),
    settings: source.settings,
    status: isRunning ? "running" : source.pausedAt === null ? "active" : "paused",
    created_at: formatInstant(source.createdAt),
    schedule: resolveSchedule(source.settings, manifest),
    ...(source.nextRunAt === null || source.kind === "push"
      ? {}
      : { next_run: formatInstant(source.nextRunAt === requested ? now : source.nextRunAt) }),
    ...(lastRun === undefined ? {} : { last_run: describeRun(lastRun) }),
    ...(source.lastSuccessAt === null ? {} : { last_success_at: formatInstant(source.lastSuccessAt) }),
    ...(failingSince === null ? {} : { failing_since: formatInstant(failingSince) }),
    ...(source.signIn === null ? {} : { sign_in: source.signIn }),
    ...(needsCredentials(source, lastRun) ? { needs: "credentials" as const } : {}),
  };
}

/** Its last run found them wrong and they were not replaced since, or a restore did not bring them back. */
function needsCredentials({ signIn, signedInAt }: StoredSource, lastRun: StoredRun | undefined): boolean {
  if (signIn !== null && signedInAt === null) return true;
  return lastRun?.report.error?.recovery === credentialsRecovery && (signedInAt ?? 0) <= lastRun.startedAt;
}

export const describeRun = (run: StoredRun): RunDocument => ({
  object: "run",
  run_id: run.runId,
  run_number: run.runNo,
  source_id: run.sourceId,
  mode: run.mode,
  status: run.status,
  started_at: formatInstant(run.startedAt),
  finished_at: run.finishedAt === null ? null : formatInstant(run.finishedAt),
  tally: run.tally,
  ...run.report,
});
