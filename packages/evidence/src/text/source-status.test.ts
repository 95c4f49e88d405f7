import type { RunDocument, RunError, SourceDocument } from "@pdpp/contract/sources";
import { expect, test } from "vitest";
import { describeSourceStatus } from "./source-status.ts";

const now = Date.parse("2026-11-18T12:00:00Z");
const ago = (minutes: number): string => new Date(now - minutes * 60_000).toISOString();
const base: SourceDocument = {
  object: "source",
  source_id: "s",
  kind: "connector",
  settings: {},
  status: "active",
  created_at: ago(10_000),
  schedule: { mode: "automatic", interval_seconds: 3600, minimum_interval_seconds: 60 },
  next_run: ago(-57),
};
const run = (more: Partial<RunDocument>): RunDocument => ({
  object: "run",
  run_id: "r",
  run_number: 1,
  source_id: "s",
  mode: "incremental",
  status: "succeeded",
  started_at: ago(3),
  finished_at: ago(3),
  tally: { read: 0, blobs: 0, streams: {} },
  ...more,
});
const failed = (recovery?: string, message = "no answer"): Partial<SourceDocument> => {
  const error: RunError = { code: "x", message, is_retryable: true, ...(recovery === undefined ? {} : { recovery }) };
  return { last_success_at: ago(5000), failing_since: ago(2 * 1440), last_run: run({ status: "failed", error }) };
};

const missing: RunError = { code: "password_missing", message: "No password.", is_retryable: false };

test.each<[string, Partial<SourceDocument>]>([
  ["Up to date, 3 minutes ago", { last_success_at: ago(3), last_run: run({}) }],
  ["Up to date, 3 minutes ago", { last_success_at: ago(3), last_run: run({ status: "cancelled" }) }],
  ["Last collected 2 days ago", { last_success_at: ago(2880), last_run: run({}), next_run: ago(2800) }],
  [
    "Collected 2 days ago",
    { last_success_at: ago(2880), schedule: { ...base.schedule, mode: "manual" }, last_run: run({}) },
  ],
  ["Never collected", {}],
  ["Nothing received yet", { kind: "push" }],
  ["Received 2 days ago", { kind: "push", last_success_at: ago(2880) }],
  ["Needs a password", { needs: "credentials", last_run: run({ status: "failed", error: missing }) }],
  ["Collecting now", { status: "running", ...failed() }],
  ["Paused", { status: "paused", ...failed() }],
  ["Needs a new password", { ...failed("refresh_credentials"), needs: "credentials" }],
  ["Needs you to sign in again", { needs: "credentials", sign_in: "oauth" }],
  ["Signed in, not collected since", failed("refresh_credentials")],
  ["Needs you: open the page", failed("manual_action_required", "open the page")],
  ["Needs a newer connector: too old", failed("retry_on_connector_upgrade", "too old")],
  ["Failing since Monday: no answer", failed()],
  ["Failing since 1 November 2026: no answer", { ...failed(), failing_since: "2026-11-01T12:00:00Z" }],
  ["Failing since 12:30: no answer", { ...failed(), failing_since: "2026-11-18T11:30:00Z" }],
])("[COL-77] %s", (text, more) => {
  expect(describeSourceStatus({ ...base, ...more }, now, "Europe/Berlin").text).toBe(text);
});
