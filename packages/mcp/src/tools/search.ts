import type { JsonObject } from "@pdpp/contract/declaration";
import type { SearchList } from "@pdpp/contract/wire";
import { formatMatchCounts } from "@pdpp/evidence/cards/hit";
import { truncateQuestion } from "@pdpp/language/query/query";
import { z } from "zod";
import { connectionId, cursor, filter, hideArgument, parseLimit, toWireFilter } from "../arguments.ts";
import { callNextPage } from "../continuation.ts";
import { createCall, formatCall, type ToolCall } from "../layout/call.ts";
import { layOutHit, layOutSource, listSources } from "../layout/hit.ts";
import { type ResultPart, sizes } from "../layout/part.ts";
import { buildWarnings, formatWarnings, hasFailures } from "../render/notes.ts";
import { computeItemRoom, formatPage } from "../size.ts";
import { type Answer, defineTool } from "../tool.ts";

const standardLimit = 5;

const input = z.strictObject({
  query: z.string().min(1).max(20_000).describe('words or a plain question; "a phrase", begin*, -without'),
  streams: z.array(z.string().min(1)).min(1).optional().describe("only these streams"),
  connection_id: connectionId,
  filter,
  since: z.string().min(1).optional().describe("from this local time on, e.g. 2026-03-01"),
  until: z.string().min(1).optional().describe("before this time"),
  limit: parseLimit(standardLimit, "hits"),
  cursor,
  mode: hideArgument(z.literal("lexical").optional()),
  time: z.enum(["words"]).optional().describe("do not prefer dates that query mentions"),
});
type Args = z.infer<typeof input>;

export const search = defineTool({
  name: "search",
  title: "Search",
  description:
    "Search the words of granted records: mail, chats, notes, orders and more, best first. " +
    "Each hit shows the passages that matched and a -> line that reads on there; fetch takes its id. " +
    "<mark> tags are ours, not the record's. " +
    "Start here for a fact. For a time in the question set since and until. filter needs one stream.",
  input,
  output: {
    results: "array",
    first_fetch_id: "string",
    content_ladder: "object",
    has_more: "boolean",
    next: "object",
    count: "integer",
    match: "object",
    count_accuracy: "string",
    sources: "array",
    recall: "object",
    warnings: "array",
    try: "object",
  },
  aliases: { q: "query" },
  async call({ api }, args) {
    const most = args.limit === undefined ? sizes.raw : Number.POSITIVE_INFINITY;
    const { query, mode: _, filter: given, ...rest } = args;
    const asked = { ...args, query: truncateQuestion(query) };
    const filter = toWireFilter(given);
    const page = await api.search({
      ...rest,
      q: query,
      limit: args.limit ?? standardLimit,
      collapse: "similar",
      ...(filter === undefined ? {} : { filter }),
      max_chars: computeItemRoom(most, callNextPage("search", asked, "")),
    });
    return formatPage(page, most, (shown, brief) => formatHits(asked, shown, brief));
  },
});

function formatHits(args: Args, page: SearchList, brief: boolean): Answer {
  const next = page.next_cursor === undefined ? undefined : callNextPage("search", args, page.next_cursor);
  const hits = page.data.map((hit) => layOutHit(hit, brief));
  const rungs = hits.flatMap((hit) => hit.rungs);
  const sources = listSources(page.data).map(layOutSource);
  const { recall, count, count_accuracy, match, warnings } = page.meta;
  const some = match.most + match.any;
  const structured: JsonObject = {
    results: hits.map(({ result }) => result),
    ...(page.data[0] === undefined ? {} : { first_fetch_id: page.data[0].id }),
    has_more: page.has_more,
    ...(next === undefined ? {} : { next }),
    count,
    ...(count_accuracy === "exact" ? {} : { count_accuracy }),
    ...(some === 0 ? {} : { match: { all: match.all, some } }),
    ...(sources.length < 1 ? {} : { sources: sources.flatMap(({ objects }) => objects) }),
    ...(recall.ranking_scope === "unknown"
      ? {}
      : { recall: { complete: recall.complete, ranked: recall.ranked_candidate_count } }),
    ...buildWarnings(warnings),
    ...(rungs.length === 0 ? {} : { content_ladder: { records: rungs } }),
    ...(page.data.length === 0 ? { try: schemaCall } : {}),
  };
  // Which words occur nowhere decides how to read the hits, even in a host that truncates the end.
  const [absent, others] = partition(warnings, ({ code }) => code === "words_not_found");
  const lines = [
    ...formatWarnings(absent),
    ...hits.flatMap(({ lines: [head, ...rest] }, i) => [`${i + 1}. ${head}`, ...rest]),
    ...formatCounts(page, sources),
    ...(next === undefined ? [] : [formatCall(next)]),
    ...formatWarnings(others),
  ];
  return { structured, text: lines.join("\n") };
}

const partition = <T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] => [
  items.filter(isFirst),
  items.filter((item) => !isFirst(item)),
];

const schemaCall: ToolCall = createCall("schema", {});

/** Counts come after the evidence. */
function formatCounts(page: SearchList, sources: readonly ResultPart[]): string[] {
  const { recall } = page.meta;
  if (page.data.length === 0)
    return [
      hasFailures(page.meta.warnings)
        ? "Nothing was found, but not everything could be searched; see the warning below. What there is:"
        : "No granted record holds these words. Try fewer or other words, or see what there is:",
      formatCall(schemaCall),
    ];
  const bounded = recall.complete
    ? ""
    : ` Only ${recall.ranked_candidate_count} candidates were ranked: narrow the query for more.`;
  const mix = sources.flatMap(({ lines }) => lines);
  const similar = page.data.reduce((sum, hit) => sum + (hit.similar?.count ?? 0), 0);
  const shown = `${page.data.length} ${page.data.length === 1 ? "hit" : "hits"} on this page${similar === 0 ? "" : ` and ${similar} more like them`}`;
  return [
    ...(mix.length < 2 ? [] : [`Sources: ${mix.join(", ")}.`]),
    `${shown}, ${formatTotal(page)}.${bounded} ${page.has_more ? "The next page:" : "There is no further page."}`,
  ];
}

function formatTotal({ meta: { count, count_accuracy: accuracy, match } }: SearchList): string {
  const total = accuracy === "exact" ? `${count} in all` : `at least ${count} in all`;
  return `${total}${formatMatchCounts(match)}`;
}
