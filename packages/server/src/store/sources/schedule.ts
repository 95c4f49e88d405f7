import { createHash } from "node:crypto";
import type { JsonObject } from "@pdpp/contract/declaration";
import { type QuietHours, readScheduleChoice, type SourceSchedule } from "@pdpp/contract/schedule";
import type { RunError, RunStatus } from "@pdpp/contract/sources";
import { Temporal } from "temporal-polyfill";
import { z } from "zod";

/** When a source runs next. */

/** The next run of a source that should run as soon as possible. It tells a request from a time that has passed. */
export const requested = 0;

const second = 1000;
const defaultIntervalSeconds = 3600;
/** Shorter intervals would keep a server busy with checks. */
const leastIntervalSeconds = 60;
const firstRetryMs = 5 * 60 * second;
const longestRetryMs = 24 * 3600 * second;
/** The largest part of a delay that is added, so that sources do not all run at the same moment. */
const spread = 0.1;

const seconds = z.number().positive().max(31_536_000).optional().catch(undefined);
const refreshPolicy = z
  .object({
    recommended_mode: z.string().optional().catch(undefined),
    recommended_interval_seconds: seconds,
    minimum_interval_seconds: seconds,
    maximum_staleness_seconds: seconds,
    background_safe: z.boolean().optional().catch(undefined),
  })
  .catch({});
const capabilities = z.object({ refresh_policy: refreshPolicy.optional() }).catch({});

/** A connector that comes with pdpp fills connections of an importer, whose manifest knows no connector: its policy is in the settings. */
const readPolicy = (settings: JsonObject, manifest: JsonObject | undefined) =>
  capabilities.parse(settings).refresh_policy ?? capabilities.parse(manifest?.capabilities).refresh_policy ?? {};

/** After how long without a success the data is stale; null if neither the manifest nor a schedule says so. */
export function getMaxStaleness(settings: JsonObject, manifest: JsonObject | undefined): number | null {
  const { mode, interval_seconds, quiet_hours } = resolveSchedule(settings, manifest);
  const declared = readPolicy(settings, manifest).maximum_staleness_seconds;
  if (declared !== undefined) return declared * second;
  // One run may fail, and the quiet hours may pass.
  return mode === "manual" ? null : 2 * interval_seconds * second + measureQuietHours(quiet_hours);
}

/** The owner's choice within what the manifest allows. A folder has no manifest. */
export function resolveSchedule(settings: JsonObject, manifest: JsonObject | undefined): SourceSchedule {
  const policy = readPolicy(settings, manifest);
  const choice = readScheduleChoice(settings);
  const minimum = Math.max(leastIntervalSeconds, policy.minimum_interval_seconds ?? 0);
  const interval = choice.interval_seconds ?? policy.recommended_interval_seconds ?? defaultIntervalSeconds;
  const isUnattended = policy.recommended_mode !== "manual" && policy.background_safe !== false;
  return {
    mode: choice.mode ?? (isUnattended || choice.interval_seconds !== undefined ? "automatic" : "manual"),
    interval_seconds: Math.max(minimum, interval),
    minimum_interval_seconds: minimum,
    ...(choice.quiet_hours && { quiet_hours: choice.quiet_hours }),
  };
}

interface EndedRun {
  readonly runId: string;
  readonly status: RunStatus;
  readonly error?: RunError | undefined;
  /** Failures in a row, this one included. */
  readonly failures: number;
}

/** The start of the run after one that ends now; null if none is to start by itself. */
export function planNextRun(schedule: SourceSchedule, run: EndedRun, timeZone: string, now: number): number | null {
  if (schedule.mode === "manual" || needsOwner(run.error)) return null;
  const delay = run.status === "failed" ? delayRetry(schedule, run) : schedule.interval_seconds * second;
  const at = Math.round(now + delay * (1 + spread * drawFraction(run.runId)));
  return schedule.quiet_hours === undefined ? at : leaveQuietHours(schedule.quiet_hours, timeZone, at);
}

/** Actions of the protocol's recovery hints that only the owner can take. Another attempt would fail in the same way. */
const ownerActions: ReadonlySet<string> = new Set([
  "refresh_credentials",
  "manual_action_required",
  "retry_on_connector_upgrade",
]);

const needsOwner = (error: RunError | undefined): boolean =>
  error?.recovery !== undefined && ownerActions.has(error.recovery);

function delayRetry({ interval_seconds, minimum_interval_seconds }: SourceSchedule, run: EndedRun): number {
  const interval = interval_seconds * second;
  const least = run.error?.is_retryable === false ? interval : minimum_interval_seconds * second;
  const doubled = Math.min(interval, firstRetryMs) * 2 ** Math.min(run.failures - 1, 30);
  return Math.max(least, Math.min(doubled, Math.max(interval, longestRetryMs)));
}

/** The same for every server, from 0 to 1. */
const drawFraction = (seed: string): number => createHash("sha256").update(seed).digest().readUInt32BE(0) / 2 ** 32;

/** The end of the quiet hours that the instant is in, else the instant. */
export function leaveQuietHours({ from, to }: QuietHours, timeZone: string, at: number): number {
  const local = Temporal.Instant.fromEpochMilliseconds(Math.ceil(at)).toZonedDateTimeISO(timeZone);
  const time = local.toPlainTime().toString().slice(0, 5);
  const isQuiet = from < to ? time >= from && time < to : time >= from || time < to;
  if (!isQuiet) return at;
  const end = local.withPlainTime(to);
  return (time < to ? end : end.add({ days: 1 }).withPlainTime(to)).epochMilliseconds;
}

const measureQuietHours = (quiet: QuietHours | undefined): number =>
  quiet === undefined ? 0 : ((readMinutes(quiet.to) - readMinutes(quiet.from) + 1440) % 1440) * 60 * second;

const readMinutes = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
