import { buildUrl } from "@pdpp/contract/address";
import type { Input } from "@pdpp/contract/operations";
import type { SearchList, SearchResult, Warning } from "@pdpp/contract/wire";
import type { Measure } from "@pdpp/evidence/sizes/measure";
import { createPageLimit } from "@pdpp/evidence/sizes/page-limit";
import type { Size } from "@pdpp/evidence/sizes/size";
import { maxQuestionLength, truncateQuestion } from "@pdpp/language/query/query";
import { maxPostings } from "@pdpp/word-index/query/query-plan";
import type { ReadTransaction } from "../../store/engine/engine.ts";
import { type ReadContext, type TooHeavy, tooHeavy } from "../context.ts";
import { sealMoment } from "../cursor.ts";
import { loadScopeFreshness, warnOfStaleSources } from "../freshness.ts";
import { findHits, type HitPage } from "./find-hits.ts";
import { listPreferredTimes, listSearchNotes, notePreferredTimes } from "./search-notes.ts";
import { parseQuestion, type Question, selectScopes } from "./search-question.ts";
import { buildResults, cutAtRank } from "./search-results.ts";
import { computeSpread } from "./search-spread.ts";

export async function search(context: ReadContext, asked: Input<"search">): Promise<SearchList | TooHeavy> {
  // Parsing a long question alone takes a while.
  if (asked.q.length > maxLightQuestion && context.isLightOnly) return tooHeavy;
  const input = { ...asked, q: truncateQuestion(asked.q) };
  const question = parseQuestion(context, input);
  const cut: Warning[] = input.q === asked.q ? [] : [questionCut];
  return findHits(context, question, (on, found) =>
    buildSearchList(on, context, input, { ...question, warnings: [...question.warnings, ...cut] }, found),
  );
}

const maxLightQuestion = 1000;

const questionCut: Warning = {
  code: "words_left_out",
  message: `only the first ${maxQuestionLength} characters of the question were searched for`,
  param: "q",
};

async function buildSearchList(
  on: ReadTransaction,
  context: ReadContext,
  input: Input<"search">,
  question: Question,
  found: HitPage,
): Promise<SearchList | TooHeavy> {
  const { tiers, upTo } = found;
  const { limit, collapse } = question;
  const count = tiers.all + tiers.most + tiers.any;
  const preferred = count === 0 ? undefined : question.preferred;
  const shown = await buildResults(on, context, found, { limit, collapse, cards: input.view === "evidence" });
  if (shown === tooHeavy) return tooHeavy;
  const cursorAt = (end: number): string =>
    sealMoment(context.keys, question.binding(), [
      ...[upTo, found.offset + end],
      ...(question.preferred === undefined ? [] : [question.preferred.now]),
    ]);
  const whole = shown.hits.map((hit) => ({ ...cutAtRank(shown.end, hit), rank: hit.rank }));
  const fit = fitHits(
    context.measure,
    whole.map(({ result }) => result),
    input.max_chars,
    (hits) => cursorAt(whole[hits]?.rank ?? shown.end),
  );
  const end = whole[fit.length]?.rank ?? shown.end;
  const onPage = shown.hits.slice(0, fit.length).map((hit) => cutAtRank(end, hit));
  const data = fit.map((hit, i) => ({ ...hit, ...pickSimilar(onPage[i]?.result) }));
  const more = found.offset + end < count;
  const cursor = more ? cursorAt(end) : undefined;
  context.disclose({
    connectionIds: [...new Set(data.map(({ connection_id }) => connection_id))],
    stream: input.streams?.length === 1 ? input.streams[0]! : null,
    records: data.length,
    versions: onPage.flatMap(({ versions }) => versions),
  });
  return {
    object: "list" as const,
    data,
    has_more: more,
    ...(cursor === undefined ? {} : { next_cursor: cursor }),
    links: {
      self: buildUrl("search", input),
      next: cursor === undefined ? null : buildUrl("search", { ...input, cursor }),
    },
    meta: {
      ...describeRanking(found, question),
      ...(data[0] === undefined ? {} : { first_fetch_id: data[0].id }),
      ...(preferred === undefined ? {} : { preferred_times: listPreferredTimes(preferred) }),
      ...(question.spread === undefined
        ? {}
        : { spread: await computeSpread(on, context, found.ranking, question.spread) }),
      warnings: [
        ...question.warnings,
        ...(preferred === undefined ? [] : [notePreferredTimes(preferred, input)]),
        ...listSearchNotes(question, found.ranking),
        ...(count === 0 ? await findStaleSources(on, context, input) : []),
      ],
    },
  };
}

/** Nothing found may mean that the source has not been collected since. */
async function findStaleSources(on: ReadTransaction, context: ReadContext, input: Input<"search">): Promise<Warning[]> {
  const streams = selectScopes(context, input);
  return warnOfStaleSources(await loadScopeFreshness(on, context, streams), streams, context.now());
}

/** The collapsed hits; fewer when the page ends early. */
const pickSimilar = (hit: SearchResult | undefined): { similar: SearchResult["similar"] } | undefined =>
  hit === undefined ? undefined : { similar: hit.similar };

/** A page has at least this many hits, however long they are. */
const minHits = 5;

function fitHits(
  measure: Measure,
  hits: readonly SearchResult[],
  maxChars: number | undefined,
  cursorAfter: (hits: number) => string,
): SearchResult[] {
  const fit = takeFitting(measure, hits, maxChars, cursorAfter);
  const assured = hits.slice(0, minHits);
  if (fit.length >= assured.length) return fit;
  const shorter = [...assured];
  for (const shorten of [dropSecondPassage, dropFurtherDetails, dropReply]) {
    for (let i = shorter.length - 1; i >= 0; i -= 1) {
      shorter[i] = shorten(shorter[i]!);
      if (takeFitting(measure, shorter, maxChars, cursorAfter).length === shorter.length) return shorter;
    }
  }
  return takeFitting(measure, shorter, maxChars, cursorAfter);
}

const dropSecondPassage = (hit: SearchResult): SearchResult => ({
  ...hit,
  evidence: hit.evidence.slice(0, 1),
  evidence_excerpts: hit.evidence_excerpts.slice(0, 1),
});

function dropFurtherDetails({ details = [], ...hit }: SearchResult): SearchResult {
  const kept = details.filter(({ role }) => role === "actor" || role === "amount");
  return kept.length === 0 ? hit : { ...hit, details: kept };
}

const dropReply = ({ reply: _, ...hit }: SearchResult): SearchResult => hit;

/** Takes as many hits as fit. The first hit of a source also needs room for the source. */
function takeFitting(
  measure: Measure,
  hits: readonly SearchResult[],
  maxChars: number | undefined,
  cursorAfter: (hits: number) => string,
): SearchResult[] {
  const fits = createPageLimit(maxChars);
  const named = new Set<string>();
  const measureHit = (hit: SearchResult): Size => {
    const isNamed = named.has(hit.connection_id);
    named.add(hit.connection_id);
    // How many hits of a source the page will show is not known yet; this is the largest number possible.
    return measure({ kind: "hit", hit, source: isNamed ? undefined : { ...hit, hits: hits.length } });
  };
  const full = hits.findIndex(
    (hit, i) =>
      !fits(
        () => measureHit(hit),
        () => cursorAfter(i + 1),
      ),
  );
  return full < 0 ? [...hits] : hits.slice(0, full);
}

function describeRanking({ ranking: { isComplete, query }, tiers }: HitPage, { streams }: Question) {
  const ranked = tiers.all + tiers.most + tiers.any;
  const sources = new Set(streams.flatMap(({ scope }) => scope.connections.map(({ id }) => id)));
  return {
    count: ranked,
    count_accuracy: isComplete ? ("exact" as const) : ("lower_bound" as const),
    match: { mode: query.isQuestion ? ("question" as const) : ("words" as const), ...tiers },
    recall: {
      complete: isComplete,
      ranking_scope: isComplete ? ("all_matches" as const) : ("candidate_window" as const),
      truncated: !isComplete,
      ranked_candidate_count: ranked,
      candidate_window_limit: maxPostings,
      sources_searched_count: sources.size,
    },
  };
}
