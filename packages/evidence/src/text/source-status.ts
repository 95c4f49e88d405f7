import { parseInstant } from "@pdpp/contract/instant";
import { credentialsRecovery, type SourceDocument } from "@pdpp/contract/sources";
import { formatAgo } from "./ago.ts";

export interface SourceStatus {
  readonly state: "current" | "running" | "paused" | "needs_owner" | "failing" | "late" | "never";
  readonly text: string;
}

/** The state of a source in the words that its owner reads everywhere. */
export function describeSourceStatus(source: SourceDocument, now: number, timeZone: string): SourceStatus {
  const { status, last_run: run, last_success_at: success } = source;
  if (status === "running") return { state: "running", text: "Collecting now" };
  if (status === "paused") return { state: "paused", text: "Paused" };
  if (source.kind === "push") return describePush(source, now);
  if (source.needs === "credentials") return { state: "needs_owner", text: describeNeed(source) };
  if (run?.status === "failed") return describeFailure(source, now, timeZone);
  const collected = parseInstant(success ?? "");
  if (collected === null) return { state: "never", text: "Never collected" };
  const ago = formatAgo(collected, now);
  const due = parseInstant(source.next_run ?? "");
  if (source.schedule.mode === "manual") return { state: "current", text: `Collected ${ago}` };
  return due !== null && now - due > lateMs
    ? { state: "late", text: `Last collected ${ago}` }
    : { state: "current", text: `Up to date, ${ago}` };
}

/** A due source waits for a check, and for two other runs to end. Later than that, no server is running. */
const lateMs = 30 * 60_000;
const maxReasonChars = 200;

/** It has no runs: senders decide when something comes. */
function describePush({ last_success_at }: SourceDocument, now: number): SourceStatus {
  const received = parseInstant(last_success_at ?? "");
  return received === null
    ? { state: "never", text: "Nothing received yet" }
    : { state: "current", text: `Received ${formatAgo(received, now)}` };
}

function describeNeed({ sign_in, last_run }: SourceDocument): string {
  if (sign_in === "oauth") return "Needs you to sign in again";
  // As ours and public connectors call it: password_missing, github_credentials_missing.
  const gotNone = sign_in === undefined && /_missing$/.test(last_run?.error?.code ?? "");
  return gotNone ? "Needs a password" : "Needs a new password";
}

function describeFailure({ last_run, failing_since }: SourceDocument, now: number, timeZone: string): SourceStatus {
  const error = last_run?.error;
  const reason = (error?.message ?? "no reason given").slice(0, maxReasonChars);
  // Its credentials were replaced since.
  if (error?.recovery === credentialsRecovery) return { state: "never", text: "Signed in, not collected since" };
  if (error?.recovery === "retry_on_connector_upgrade")
    return { state: "needs_owner", text: `Needs a newer connector: ${reason}` };
  if (error?.recovery === "manual_action_required") return { state: "needs_owner", text: `Needs you: ${reason}` };
  const since = parseInstant(failing_since ?? last_run?.started_at ?? "") ?? now;
  return { state: "failing", text: `Failing since ${formatSince(since, now, timeZone)}: ${reason}` };
}

const day = 86_400_000;

/** The weekday, while that is unambiguous. */
function formatSince(at: number, now: number, timeZone: string): string {
  const format = (form: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat("en-GB", { ...form, timeZone }).format(at);
  if (now - at < day) return format({ hour: "2-digit", minute: "2-digit" });
  return now - at < 6 * day ? format({ weekday: "long" }) : format({ day: "numeric", month: "long", year: "numeric" });
}
