import { z } from "zod";
import { continuation } from "../continuation.ts";
import type { Json } from "../manifest/declaration.ts";

const warningCodes = [
  "count_downgraded",
  "source_skipped_not_applicable",
  "deprecated_alias_used",
  "limit_clamped",
  "partial_results",
  "compatibility_fallback",
  "source_unavailable",
  "mixed_units",
  "unit_not_visible",
  "time_preferred",
  "words_not_found",
  "searched_also",
  "phrase_not_found",
  "words_left_out",
  "no_exact_match",
  "sources_not_current",
] as const;

export const warning = z.looseObject({
  code: z.enum(warningCodes),
  message: z.string(),
  param: z.string().optional(),
  detail: z.looseObject({ field: z.string().optional(), close_values: z.array(z.string()).optional() }).optional(),
  reads: z.array(continuation).optional().describe("what to read instead"),
});
export type Warning = z.infer<typeof warning>;

export const links = z.looseObject({ self: z.string(), next: z.string().nullable().optional() });

const countGrade = z.looseObject({ kind: z.enum(["none", "estimated", "exact"]), value: z.int().optional() });

const recordVersion = z.looseObject({
  record_version: z.string(),
  emitted_at: z.string(),
  changed: z
    .array(z.string())
    .optional()
    .describe("fields that differ from the version before it; left out where that one is not kept"),
});
export type RecordVersion = z.infer<typeof recordVersion>;

export const meta = z.looseObject({
  count: countGrade.optional(),
  warnings: z.array(warning),
  window: z
    .looseObject({ total: z.int(), earliest_at: z.string().optional(), latest_at: z.string().optional() })
    .optional(),
  versions: z.array(recordVersion).optional(),
});

export const source = { connector_key: z.string(), connection_id: z.string(), connector_instance_id: z.string() };

/** Any JSON value. It came from `JSON.parse`, so a recursive schema would add nothing. */
export const jsonValue = z.custom<Json>(() => true);

export const citation = {
  citation_url: z
    .string()
    .optional()
    .describe(
      "an address for people: the owner's page of the record, with the passage that was found; it opens nothing by itself",
    ),
};

export const eventTime = {
  event_time: z.union([z.string(), z.number()]).optional().describe("when it happened, as written"),
  local_time: z
    .string()
    .optional()
    .describe(
      "of a time in UTC: the same with the offset of the record's or the owner's zone; a date if it lasts all day",
    ),
};

/** How recent data is, as far as the server knows. */
export const freshness = z.looseObject({
  status: z.string().describe("current, stale or unknown"),
  captured_at: z.string().nullish().describe("when it was last complete"),
  last_attempted_at: z.string().nullish(),
});
export type Freshness = z.infer<typeof freshness>;

export const grantedConnection = z.looseObject({
  connection_id: z.string(),
  display_name: z.string().optional(),
  freshness: freshness.optional(),
});

export const errorBody = z.looseObject({
  error: z.looseObject({ type: z.string(), code: z.string(), message: z.string(), request_id: z.string().optional() }),
});
