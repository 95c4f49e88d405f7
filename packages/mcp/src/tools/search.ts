import type { Json, JsonObject } from "@pdpp/contract/declaration";
import type { Input } from "@pdpp/contract/operations";
import type { SearchList, SearchResult } from "@pdpp/contract/wire";
import { z } from "zod";
import { connectionId, cursor, filter, limitOf, unlisted, wireFilter } from "../arguments.ts";
import { callLine, definedOnly, literal, nextPage, oneLine, type ToolCall, toolCall } from "../continuation.ts";
import { fetchCall, originObject } from "../render/card.ts";
import { warningLines, warningObjects } from "../render/notes.ts";
import { fittingPage, sizes } from "../size.ts";
import { type Answer, defineTool } from "../tool.ts";

const standardLimit = 5;

const input = z.strictObject({
  query: z.string().min(1).max(2000).describe('words or a plain question; "a phrase", begin*, -without'),
  streams: z.array(z.string().min(1)).min(1).optional().describe("only these streams"),
  connection_id: connectionId,
  filter,
  since: z.string().min(1).optional().describe("from this time on, e.g. 2026-01-31"),
  until: z.string().min(1).optional().describe("before this time"),
  limit: limitOf(standardLimit, "hits"),
  cursor,
  mode: unlisted(z.literal("lexical").optional()),
});
type Args = z.infer<typeof input>;

export const search = defineTool({
  name: "search",
  title: "Search",
  description:
    "Search the words of all granted records: mail, chats, notes, orders and more, best match first. " +
    "Each hit shows the passage that proves the match and a -> line that reads it with more around it; fetch takes its id. " +
    "Start here when you look for a fact. filter needs exactly one stream.",
  input,
  output: {
    results: "array",
    content_ladder: "object",
    has_more: "boolean",
    next: "object",
    count: "integer",
    count_accuracy: "string",
    sources: "array",
    recall: "object",
    warnings: "array",
    try: "object",
  },
  aliases: { q: "query" },
  call: (context, args) =>
    fittingPage<SearchList>({
      limit: args.limit ?? standardLimit,
      most: args.limit === undefined ? sizes.raw : Number.POSITIVE_INFINITY,
      read: (limit) => context.api.search(wireInput(args, limit)),
      answer: (page, brief) => answerOf(args, page, brief),
    }),
});

const wireInput = ({ query, mode: _mode, ...rest }: Args, limit: number): Input<"search"> =>
  definedOnly({ ...rest, q: query, limit, filter: wireFilter(rest.filter) }) as Input<"search">;

function answerOf(args: Args, page: SearchList, brief: boolean): Answer {
  const next = page.next_cursor === undefined ? undefined : nextPage("search", args, page.next_cursor);
  const sources = sourcesOf(page.data);
  const { recall, count, count_accuracy: accuracy, warnings } = page.meta;
  const structured: JsonObject = {
    results: page.data.map((hit) => hitObject(hit, brief)),
    has_more: page.has_more,
    ...(next === undefined ? {} : { next: next as unknown as Json }),
    count,
    count_accuracy: accuracy,
    ...(sources.length < 2 ? {} : { sources: sources as unknown as Json }),
    ...(recall.complete ? {} : { recall: { complete: false, ranked: recall.ranked_candidate_count } }),
    ...warningObjects(warnings),
    content_ladder: { records: page.data.flatMap((hit) => ladderObject(hit, brief)) },
    ...(page.data.length === 0 ? { try: schemaCall as unknown as Json } : {}),
  };
  const [first = [], ...others] = page.data.map((hit, i) => hitLines(i + 1, hit, brief));
  const lines = [
    ...first,
    ...pageLines(page, sources),
    ...(next === undefined ? [] : [callLine(next)]),
    ...warningLines(warnings),
    ...others.flat(),
  ];
  return { structured, text: lines.join("\n") };
}

const schemaCall: ToolCall = { tool: "schema", arguments: {} };

/** Counts come after the first evidence, before the rest. */
function pageLines(page: SearchList, sources: readonly Source[]): string[] {
  const { count, count_accuracy: accuracy, recall, match } = page.meta;
  if (page.data.length === 0)
    return [
      page.meta.warnings.length === 0
        ? "No granted record holds these words. Try fewer or other words, or see what there is:"
        : "Nothing was found, but not everything could be searched; see the warning below. What there is:",
      callLine(schemaCall),
    ];
  const total = accuracy === "exact" ? `${count}` : `at least ${count}`;
  const below = page.data.length - 1;
  const shown = below === 0 ? "This is the only hit" : `Hit 1 is above, ${below} more below: ${below + 1} hits`;
  const more = page.has_more ? "The next page:" : "There is no further page.";
  const partly = match.all === 0 ? " None has all the words." : "";
  const bounded = recall.complete
    ? ""
    : ` Only ${recall.ranked_candidate_count} candidates were ranked: narrow the query for more.`;
  const mix = sources.map(({ connection_id: id, connector_key: key, display_name: label, hits }) =>
    [key, ...(label === undefined ? [] : [literal(label)]), `${id}:`, hits].join(" "),
  );
  return [
    ...(mix.length < 2 ? [] : [`Sources: ${mix.join(", ")}.`]),
    `${shown} on this page, ${total} in all.${partly}${bounded} ${more}`,
  ];
}

interface Source {
  readonly connection_id: string;
  readonly connector_key: string;
  readonly display_name?: string;
  readonly hits: number;
}

function sourcesOf(hits: readonly SearchResult[]): Source[] {
  return [...Map.groupBy(hits, ({ connection_id }) => connection_id)].map(([id, mine]) => ({
    connection_id: id,
    connector_key: mine[0]!.connector_key,
    ...(mine[0]!.display_name === undefined ? {} : { display_name: mine[0]!.display_name }),
    hits: mine.length,
  }));
}

function hitObject(hit: SearchResult, brief: boolean): JsonObject {
  const [proof] = brief ? [] : hit.evidence;
  const { id, title, record_version: _version, emitted_at: _stored, ...origin } = originObject(hit);
  return {
    id: id!,
    title: title!,
    url: "",
    ...(proof === undefined ? {} : { preview: proof.preview }),
    ...origin,
  };
}

/** The same passages, with where they are and the read that goes on there. */
function ladderObject(hit: SearchResult, brief: boolean): JsonObject[] {
  const [proof] = hit.evidence;
  if (proof === undefined || brief) return [{ id: hit.id, read: fetchCall(hit.id) as unknown as Json }];
  const { field_path, preview, match, window, truncated, read } = proof;
  return [{ id: hit.id, field_path, preview, match, window, truncated, read: toolCall(read) as unknown as Json }];
}

function hitLines(n: number, hit: SearchResult, brief: boolean): string[] {
  const label = hit.display_name === undefined ? "" : ` ${literal(hit.display_name)}`;
  const time = hit.event_time === undefined ? "" : ` | ${literal(hit.event_time)}`;
  const head = `${n}. ${literal(hit.title)} | ${hit.connector_key} ${oneLine(hit.stream)}${label} ${hit.connection_id}${time}`;
  const [proof] = brief ? [] : hit.evidence;
  if (proof === undefined) return [head, callLine(fetchCall(hit.id))];
  const { start_chars, end_chars, total_chars } = proof.window;
  const where = proof.truncated ? ` (${start_chars}-${end_chars} of ${total_chars} chars)` : "";
  return [head, `${oneLine(proof.field_path)}${where}: ${literal(proof.preview)}`, callLine(toolCall(proof.read))];
}
