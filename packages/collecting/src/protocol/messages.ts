import type { Json } from "@pdpp/contract/declaration";
import { z } from "zod";
import { ProtocolViolation } from "./violation.ts";

/** The messages of the public collection protocol, one JSON object per line. Fields that we do not read may have any value. */

/** Part of a parsed line, so it is JSON. */
const json = z.custom<Json>((value) => value !== undefined);
const streamName = z.string().min(1).max(200);
const text = z.string().max(10_000);
const recordKey = z.union([z.string(), z.number()]);

const recoveryActions = [
  "retry_by_runtime",
  "retry_on_connector_upgrade",
  "refresh_credentials",
  "manual_action_required",
  "update_selector",
  "upstream_unblock",
  "not_retriable",
  "unknown",
] as const;

const recoveryAction = z.enum(recoveryActions);
const recoveryHint = z.union([recoveryAction, z.object({ action: recoveryAction, retryable: z.boolean().optional() })]);
export type RecoveryHint = z.infer<typeof recoveryHint>;

const record = z.object({
  type: z.literal("RECORD"),
  stream: streamName,
  key: z.union([recordKey, z.array(recordKey)]),
  data: z.record(z.string(), json),
  emitted_at: z.string(),
  op: z.enum(["upsert", "delete"]).optional(),
});
export type RecordMessage = z.infer<typeof record>;

const state = z.object({ type: z.literal("STATE"), stream: streamName, cursor: json });

const progress = z.object({
  type: z.literal("PROGRESS"),
  message: text,
  stream: streamName.nullish(),
  count: z.number().nullish(),
  total: z.number().nullish(),
});
export type ProgressMessage = z.infer<typeof progress>;

const continuation = z.object({
  boundary: json,
  slice_start: json,
  slice_end: json,
  considered: z.number(),
  covered: z.number(),
  remaining: z.literal(true),
  owner: z.literal("runtime"),
});

const skipResult = z.object({
  type: z.literal("SKIP_RESULT"),
  stream: streamName.nullish(),
  reason: text.nullish(),
  message: text.nullish(),
  recovery_hint: recoveryHint.nullish(),
  continuation: continuation.nullish(),
});
export type SkipMessage = z.infer<typeof skipResult>;

const interaction = z.object({
  type: z.literal("INTERACTION"),
  request_id: z.string().min(1).max(200),
  kind: z.enum(["credentials", "otp", "manual_action"]),
  message: text,
  schema: z.record(z.string(), json).nullish(),
  timeout_seconds: z.number().positive().nullish(),
});
export type InteractionMessage = z.infer<typeof interaction>;

const keys = z.array(recordKey).max(1_000_000);

const detailCoverage = z.object({
  type: z.literal("DETAIL_COVERAGE"),
  reference_only: z.literal(true),
  stream: streamName,
  state_stream: streamName,
  required_keys: keys,
  hydrated_keys: keys,
  gap_keys: keys.nullish(),
});
export type CoverageMessage = z.infer<typeof detailCoverage>;

const detailGap = z.object({
  type: z.literal("DETAIL_GAP"),
  stream: streamName,
  parent_stream: streamName.nullish(),
  record_key: recordKey.nullish(),
  reason: text.nullish(),
  retryable: z.boolean().nullish(),
});
export type GapMessage = z.infer<typeof detailGap>;

const done = z.object({
  type: z.literal("DONE"),
  status: z.enum(["succeeded", "failed", "cancelled"]),
  records_emitted: z.int().nonnegative(),
  error: z
    .object({
      code: z
        .string()
        .regex(/^[a-z][a-z0-9_]{0,63}$/)
        .nullish(),
      message: text,
      retryable: z.boolean(),
      recovery_hint: recoveryHint.nullish(),
    })
    .nullish(),
});
export type DoneMessage = z.infer<typeof done>;

/** Messages of the reference runtime. They do not affect what is stored. */
const noticeTypes = ["ASSISTANCE", "ASSISTANCE_STATUS", "DETAIL_GAP_RECOVERED", "DETAIL_GAP_ATTEMPTED"] as const;
const notices = noticeTypes.map((type) => z.object({ type: z.literal(type) }));
const gapsRequest = z.object({
  type: z.literal("DETAIL_GAPS_PAGE_REQUEST"),
  request_id: z.string().max(200).nullish(),
});

const message = z.discriminatedUnion("type", [
  record,
  state,
  progress,
  skipResult,
  interaction,
  detailCoverage,
  detailGap,
  done,
  gapsRequest,
  ...notices,
]);
export type ConnectorMessage = z.infer<typeof message>;

export function parseMessage(line: string): ConnectorMessage {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new ProtocolViolation("sent a line that is not JSON");
  }
  const parsed = message.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ProtocolViolation(`sent a message that is not valid: ${describeIssue(value, issue)}`);
}

/** Names the message and the field, without its value, which may be personal. */
function describeIssue(value: unknown, issue: z.core.$ZodIssue | undefined): string {
  const type = typeof value === "object" && value !== null && "type" in value ? value.type : undefined;
  const known = typeof type === "string" && /^[A-Z_]{1,40}$/.test(type) ? type : "a line without a known type";
  const path = issue?.path.map(String).join(".").slice(0, 100);
  return path === "type" || path === undefined || path === "" ? `${known} is unknown` : `${known} with a wrong ${path}`;
}
