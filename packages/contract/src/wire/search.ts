import { z } from "zod";
import { continuation } from "../continuation.ts";
import { roles } from "../manifest/declaration.ts";
import { citation, eventTime, links, source, warning } from "./envelope.ts";
import { evidenceCard } from "./records.ts";

const charRange = z.object({ start_chars: z.int(), end_chars: z.int() });

const matchEvidence = z.looseObject({
  field_path: z.string(),
  preview: z.string(),
  /** Offsets in the field, or in the preview if there is no `window`. */
  match: z.array(charRange),
  /** Our server always sends the position of the passage; others may not. */
  window: z.object({ ...charRange.shape, total_chars: z.int() }).optional(),
  truncated: z.boolean(),
  read: continuation,
});
export type MatchEvidence = z.infer<typeof matchEvidence>;

/** A value that distinguishes a hit from others, in full or truncated. */
const hitDetail = z.looseObject({
  field_path: z.string(),
  role: z.enum(roles).optional(),
  value: z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]),
  unit: z.union([z.string(), z.number(), z.boolean()]).optional().describe("the unit of an amount"),
  truncated: z.boolean(),
});
export type HitDetail = z.infer<typeof hitDetail>;

const searchResult = z.looseObject({
  object: z.literal("search_result"),
  id: z.string().describe("connection_id/stream:record_id"),
  title: z.string(),
  ...citation,
  title_match: z
    .object({ field_path: z.string(), match: z.array(charRange) })
    .optional()
    .describe("the title's field and the matched words in it, in characters of the title"),
  title_made_from: z
    .enum(["parts", "time", "id"])
    .optional()
    .describe("what the title was made from when none is declared"),
  details: z
    .array(hitDetail)
    .optional()
    .describe("what tells this hit apart: who, how much, where, how its text begins; by declared roles and types"),
  stream: z.string(),
  record_key: z.string(),
  ...source,
  connector_id: z.string(),
  display_name: z.string().optional(),
  record_version: z.string(),
  ...eventTime,
  emitted_at: z.string(),
  matched_fields: z.array(z.string()),
  record_url: z.string(),
  beside: z
    .array(z.looseObject({ words: z.array(z.string()), id: z.string() }))
    .optional()
    .describe("words found not in this record but in a neighbouring one of the same conversation"),
  reply: z
    .looseObject({
      id: z.string(),
      details: z.array(hitDetail),
      field_path: z.string(),
      preview: z.string(),
      truncated: z.boolean(),
      read: continuation,
    })
    .optional()
    .describe(
      "what was answered, where the hit is a question in a conversation: how the next turn by somebody else begins",
    ),
  similar: z
    .looseObject({
      count: z.int(),
      event_times: z.array(z.union([z.string(), z.number()])),
      read: continuation,
    })
    .optional()
    .describe("further hits that show the same but for their time; `read` lists such records"),
  score: z.looseObject({ kind: z.literal("bm25"), value: z.number(), order: z.literal("higher_is_better") }).optional(),
  evidence: z.array(matchEvidence),
  card: evidenceCard.optional(),
  evidence_excerpts: z.array(
    z.looseObject({ object: z.literal("evidence_excerpt"), field_path: z.string(), preview_text: z.string() }),
  ),
});
export type SearchResult = z.infer<typeof searchResult>;

const hitSpread = z.looseObject({
  sources: z.array(z.looseObject({ connection_id: z.string(), stream: z.string(), count: z.int() })),
  granularity: z.enum(["year", "month", "day"]),
  times: z
    .array(z.looseObject({ since: z.string(), until: z.string(), count: z.int() }))
    .describe("the periods in UTC that have hits, earliest first; the last 200 of them"),
  earlier_count: z.int().describe("hits before those periods"),
  without_time: z.int().describe("hits without a granted time that since and until could filter by"),
  counted: z.int().describe("hits whose times were counted: all of them, or an even sample of very many"),
});
export type HitSpread = z.infer<typeof hitSpread>;

const preferredTime = z.looseObject({
  words: z.string().describe("as q says it"),
  since: z.string().optional().describe("a day is preferred with the day before and the day after"),
  until: z.string().optional(),
  every_year: z.literal(true).optional().describe("q names no year: earlier years count more than other times, too"),
});

export const searchList = z.looseObject({
  object: z.literal("list"),
  data: z.array(searchResult),
  has_more: z.boolean(),
  next_cursor: z.string().optional(),
  links,
  meta: z.looseObject({
    count: z.int(),
    count_accuracy: z.enum(["exact", "lower_bound"]),
    match: z.looseObject({ mode: z.enum(["words", "question"]), all: z.int(), most: z.int(), any: z.int() }),
    recall: z.looseObject({
      complete: z.boolean(),
      ranking_scope: z
        .enum(["all_matches", "candidate_window", "unknown"])
        .describe("unknown: a server of another make did not say"),
      truncated: z.boolean(),
      ranked_candidate_count: z.int(),
      candidate_window_limit: z.int(),
      sources_searched_count: z.int(),
    }),
    first_fetch_id: z.string().optional().describe("the id of the first hit, as fetch takes it"),
    spread: hitSpread.optional(),
    preferred_times: z.array(preferredTime).optional().describe("the times in q whose records score higher"),
    warnings: z.array(warning),
  }),
});
export type SearchList = z.infer<typeof searchList>;
