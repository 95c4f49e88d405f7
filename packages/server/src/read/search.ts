import { addressOf } from "@pdpp/contract/address";
import { PdppError } from "@pdpp/contract/errors";
import { instantOf } from "@pdpp/contract/instant";
import type { Input } from "@pdpp/contract/operations";
import type { SearchList, Warning } from "@pdpp/contract/wire";
import { parseQuery, type SearchQuery } from "@pdpp/evidence/query";
import { horizon } from "../store/changes.ts";
import { type Connection, connections } from "../store/connections.ts";
import type { Reading } from "../store/engine.ts";
import { type Condition, mayRead, type StreamScope } from "../store/scope.ts";
import { candidateLimit, type RankedHit, type Ranking, rank, type SearchedStream } from "../store/search.ts";
import { conditionsFrom } from "./conditions.ts";
import { pageLimit, type ReadContext } from "./context.ts";
import { openCursor, sealCursor } from "./cursor.ts";
import { narrow, streamsNamed, streamsOf } from "./scope.ts";
import { results } from "./search-results.ts";

/** Search over everything the scope may read: ranked over all streams and connections, each hit with its proof. */
export async function search(context: ReadContext, input: Input<"search">): Promise<SearchList> {
  const { limit, warnings } = pageLimit(input.limit);
  const query = parseQuery(input.q);
  const { streams, skipped } = searchedStreams(context, input);
  const binding = bindingOf(context, input, streams);
  const { engine } = context.store;
  const from =
    input.cursor === undefined
      ? undefined
      : (openCursor(context.keys, binding, input.cursor, "cursor") as [number, number]);

  const answer = async (on: Reading, most?: number): Promise<SearchList | null> => {
    const upTo = from?.[0] ?? (await horizon(on, context.scope.ownerNo)).current;
    const held = await connections(on, context.scope.ownerNo);
    const searched = streams.map((stream) => ({ ...stream, whole: isWhole(stream.scope, held) }));
    const ranking = await rank(on, engine.dialect, searched, query, upTo, most);
    if (ranking === null) return null;
    const offset = from?.[1] ?? 0;
    const { best, tiers } = inOrder(ranking, query, offset + limit);
    const data = await results(on, context, best.slice(offset), query, input.view === "evidence");
    const more = offset + limit < tiers.all + tiers.most + tiers.any;
    const cursor = more ? sealCursor(context.keys, binding, [upTo, offset + limit]) : undefined;
    context.disclose({
      connectionIds: [...new Set(data.map(({ connection_id }) => connection_id))],
      stream: input.streams?.length === 1 ? input.streams[0]! : null,
      records: data.length,
    });
    return {
      object: "list" as const,
      data,
      has_more: more,
      ...(cursor === undefined ? {} : { next_cursor: cursor }),
      links: {
        self: addressOf("search", input),
        next: cursor === undefined ? null : addressOf("search", { ...input, cursor }),
      },
      meta: { ...described(ranking, tiers, query, streams), warnings: [...warnings, ...skipped] },
    };
  };
  // A search for words that few records have is over before it could be handed to another thread.
  const quick = engine.readsInProcess ? await engine.read((on) => answer(on, fewRecords)) : null;
  return quick ?? (await engine.read(async (on) => (await answer(on))!, "heavy"));
}

const fewRecords = 2000;

type Searched = Omit<SearchedStream, "whole">;

/** The streams that can be searched at all, with the request's own limits on them. */
function searchedStreams(context: ReadContext, input: Input<"search">): { streams: Searched[]; skipped: Warning[] } {
  const scopes = selected(context, input);
  if (input.filter !== undefined && input.streams?.length !== 1) {
    throw new PdppError("invalid_request", "filter goes with exactly one stream; send streams=NAME", {
      param: "filter",
    });
  }
  const skipped: Warning[] = [];
  const streams = scopes.flatMap((scope): Searched[] => {
    if (!scope.stream.search?.fields.some((field) => mayRead(scope, field))) return [];
    const times = timeConditions(scope, input);
    if (times === null) {
      const name = scope.stream.declaration.name;
      skipped.push({
        code: "source_skipped_not_applicable",
        message: `stream ${name} has no time this grant may compare`,
        param: "since",
      });
      return [];
    }
    return [{ scope, conditions: [...conditionsFrom(scope, input.filter), ...times] }];
  });
  if (streams.length === 0 && skipped.length === 0) {
    const message =
      "none of these streams has a searchable field in this grant; the schema marks searchable fields with lex";
    skipped.push({ code: "source_skipped_not_applicable", message });
  }
  return { streams, skipped };
}

function selected(context: ReadContext, input: Input<"search">): readonly StreamScope[] {
  if (input.streams === undefined) return streamsOf(context.scope, input.connection_id);
  const named = [...new Set(input.streams)].flatMap((name) => streamsNamed(context.scope, name));
  if (input.connection_id === undefined) return named;
  const narrowed = narrow(named, input.connection_id);
  // The connection may be one of the grant that has none of these streams: then there is nothing to find.
  if (narrowed.length === 0) streamsOf(context.scope, input.connection_id);
  return narrowed;
}

/** `since` and `until` on the stream's declared time; null when the grant does not show it. */
function timeConditions(scope: StreamScope, { since, until }: Input<"search">): Condition[] | null {
  if (since === undefined && until === undefined) return [];
  const { consentTimeField, cursorField } = scope.stream.declaration;
  const field = [consentTimeField, cursorField].find(
    (name) => name !== undefined && mayRead(scope, name) && isTime(scope, name),
  );
  if (field === undefined) return null;
  const column = scope.stream.columns.get(field)!;
  const at = (text: string, param: string) => {
    const instant = instantOf(text);
    if (instant === null)
      throw new PdppError("invalid_request", `${param} must be a date or date-time, not ${JSON.stringify(text)}`, {
        param,
      });
    return instant;
  };
  return [
    ...(since === undefined ? [] : [{ field, column, operator: "gte" as const, value: at(since, "since") }]),
    ...(until === undefined ? [] : [{ field, column, operator: "lt" as const, value: at(until, "until") }]),
  ];
}

const isTime = (scope: StreamScope, field: string): boolean => {
  const kind = scope.stream.columns.get(field)?.kind;
  return kind === "date" || kind === "date-time";
};

const bindingOf = (
  { scope }: ReadContext,
  { q, filter, since, until }: Input<"search">,
  streams: readonly Searched[],
) =>
  [
    "search",
    scope.ownerNo,
    streams.map(({ scope: s }) => [
      s.grantId ?? null,
      s.connectorKey,
      s.stream.declaration.name,
      s.connections.map(({ id }) => id),
    ]),
    q,
    filter ?? null,
    since ?? null,
    until ?? null,
  ] as never;

function isWhole(scope: StreamScope, held: readonly Connection[]): boolean {
  return held.filter(({ connectorKey }) => connectorKey === scope.connectorKey).length === scope.connections.length;
}

type Tier = "all" | "most" | "any";

function tierOf(hit: RankedHit, { wanted }: SearchQuery): Tier {
  if (hit.matched === wanted.length) return "all";
  return hit.matched * 2 > wanted.length ? "most" : "any";
}

const tierOrder: Record<Tier, number> = { all: 0, most: 1, any: 2 };

/**
 * The best, best first, and how many hits there are in all. Bare words mean all of them: records that have all come first, then
 * those with most. A question is ranked by score alone. Of equals the newer comes first.
 */
function inOrder({ hits }: Ranking, query: SearchQuery, most: number) {
  const best: RankedHit[] = [];
  const tiers: Record<Tier, number> = { all: 0, most: 0, any: 0 };
  const rankOf = query.isQuestion ? () => 0 : (hit: RankedHit) => tierOrder[tierOf(hit, query)];
  const isBefore = (a: RankedHit, b: RankedHit): boolean =>
    (rankOf(a) - rankOf(b) || b.score - a.score || b.doc - a.doc) < 0;
  for (const hit of hits) {
    if (hit.matched === 0) continue;
    tiers[tierOf(hit, query)] += 1;
    if (best.length === most && !isBefore(hit, best[most - 1]!)) continue;
    best.splice(
      placeIn(best, (other) => isBefore(hit, other)),
      0,
      hit,
    );
    if (best.length > most) best.pop();
  }
  return { best, tiers };
}

/** Where a hit belongs among others in order: before the first that it is before. */
function placeIn(best: readonly RankedHit[], isBefore: (other: RankedHit) => boolean): number {
  let [low, high] = [0, best.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(best[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function described(
  { complete, candidates }: Ranking,
  tiers: Record<Tier, number>,
  query: SearchQuery,
  streams: readonly Searched[],
) {
  const ranked = tiers.all + tiers.most + tiers.any;
  const sources = new Set(streams.flatMap(({ scope }) => scope.connections.map(({ id }) => id)));
  return {
    count: complete ? ranked : candidates,
    count_accuracy: complete ? ("exact" as const) : ("lower_bound" as const),
    match: { mode: query.isQuestion ? ("question" as const) : ("words" as const), ...tiers },
    recall: {
      complete,
      ranking_scope: complete ? ("all_matches" as const) : ("candidate_window" as const),
      truncated: !complete,
      ranked_candidate_count: ranked,
      candidate_window_limit: candidateLimit,
      sources_searched_count: sources.size,
    },
  };
}
