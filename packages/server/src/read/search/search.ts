import { buildUrl } from "@pdpp/contract/address";
import type { Input } from "@pdpp/contract/operations";
import type { SearchList, SearchResult, Warning } from "@pdpp/contract/wire";
import type { Measure } from "@pdpp/evidence/sizes/measure";
import { createPageLimit } from "@pdpp/evidence/sizes/page-limit";
import type { Size } from "@pdpp/evidence/sizes/size";
import { cutQuestion, longestQuestion } from "@pdpp/language/query/query";
import { maxPostings } from "@pdpp/word-index/query/query-plan";
import type { ReadTransaction } from "../../store/engine/engine.ts";
import { type ReadContext, type TooHeavy, tooHeavy } from "../context.ts";
import { sealMoment } from "../cursor.ts";
import { type Found, find } from "./find-hits.ts";
import { searchNotes } from "./search-notes.ts";
import { type Question, questionFrom } from "./search-question.ts";
import { endedBefore, results } from "./search-results.ts";
import { spreadOf } from "./search-spread.ts";

/** Search over everything the scope may read: ranked over all streams and connections, each hit with its proof. */
export async function search(context: ReadContext, asked: Input<"search">): Promise<SearchList | TooHeavy> {
  // Taking a long question apart takes a while by itself.
  if (asked.q.length > longestLightQuestion && context.isLightOnly) return tooHeavy;
  const input = { ...asked, q: cutQuestion(asked.q) };
  const question = questionFrom(context, input);
  const cut: Warning[] = input.q === asked.q ? [] : [questionCut];
  return find(context, question, (on, found) =>
    answer(on, context, input, { ...question, warnings: [...question.warnings, ...cut] }, found),
  );
}

const longestLightQuestion = 1000;

const questionCut: Warning = {
  code: "words_left_out",
  message: `only the first ${longestQuestion} characters of the question were searched for`,
  param: "q",
};

async function answer(
  on: ReadTransaction,
  context: ReadContext,
  input: Input<"search">,
  question: Question,
  found: Found,
): Promise<SearchList | TooHeavy> {
  const { tiers, upTo } = found;
  const { limit, collapse } = question;
  const shown = await results(on, context, found, { limit, collapse, cards: input.view === "evidence" });
  if (shown === tooHeavy) return tooHeavy;
  const cursorAt = (end: number): string => sealMoment(context.keys, question.binding(), [upTo, found.offset + end]);
  const whole = shown.hits.map((hit) => ({ ...endedBefore(shown.end, hit), rank: hit.rank }));
  const fit = fitting(
    context.measure,
    whole.map(({ result }) => result),
    input.max_chars,
    (hits) => cursorAt(whole[hits]?.rank ?? shown.end),
  );
  const end = whole[fit.length]?.rank ?? shown.end;
  const ended = shown.hits.slice(0, fit.length).map((hit) => endedBefore(end, hit));
  const data = fit.map((hit, i) => ({ ...hit, ...similarOf(ended[i]?.result) }));
  const more = found.offset + end < tiers.all + tiers.most + tiers.any;
  const cursor = more ? cursorAt(end) : undefined;
  context.disclose({
    connectionIds: [...new Set(data.map(({ connection_id }) => connection_id))],
    stream: input.streams?.length === 1 ? input.streams[0]! : null,
    records: data.length,
    versions: ended.flatMap(({ versions }) => versions),
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
      ...described(found, question),
      ...(data[0] === undefined ? {} : { first_fetch_id: data[0].id }),
      ...(question.spread === undefined ? {} : { spread: await spreadOf(on, context, found.ranking, question.spread) }),
      warnings: [...question.warnings, ...searchNotes(question, found.ranking)],
    },
  };
}

/** What is collapsed into a hit, which is less when the page ended early. */
const similarOf = (hit: SearchResult | undefined): { similar: SearchResult["similar"] } | undefined =>
  hit === undefined ? undefined : { similar: hit.similar };

/** So many hits have a place on a page, however long they are. */
const assuredHits = 5;

/** As many hits as there is room for. The first few give up what they can do without before one of them is left out. */
function fitting(
  measure: Measure,
  hits: readonly SearchResult[],
  maxChars: number | undefined,
  cursorAfter: (hits: number) => string,
): SearchResult[] {
  const fit = fittingAsTheyAre(measure, hits, maxChars, cursorAfter);
  const assured = hits.slice(0, assuredHits);
  if (fit.length >= assured.length) return fit;
  const shorter = [...assured];
  for (const shorten of [withoutSecondPassage, withoutFurtherDetails, withoutReply]) {
    for (let i = shorter.length - 1; i >= 0; i -= 1) {
      shorter[i] = shorten(shorter[i]!);
      if (fittingAsTheyAre(measure, shorter, maxChars, cursorAfter).length === shorter.length) return shorter;
    }
  }
  return fittingAsTheyAre(measure, shorter, maxChars, cursorAfter);
}

const withoutSecondPassage = (hit: SearchResult): SearchResult => ({
  ...hit,
  evidence: hit.evidence.slice(0, 1),
  evidence_excerpts: hit.evidence_excerpts.slice(0, 1),
});

function withoutFurtherDetails({ details = [], ...hit }: SearchResult): SearchResult {
  const kept = details.filter(({ role }) => role === "actor" || role === "amount");
  return kept.length === 0 ? hit : { ...hit, details: kept };
}

const withoutReply = ({ reply: _, ...hit }: SearchResult): SearchResult => hit;

/** As many hits as there is room for, each with its source if no hit before it has the same. */
function fittingAsTheyAre(
  measure: Measure,
  hits: readonly SearchResult[],
  maxChars: number | undefined,
  cursorAfter: (hits: number) => string,
): SearchResult[] {
  const fits = createPageLimit(maxChars);
  const named = new Set<string>();
  const sizeOf = (hit: SearchResult): Size => {
    const isNamed = named.has(hit.connection_id);
    named.add(hit.connection_id);
    // How many hits of a source the page will show is not known yet; this is the largest number possible.
    return measure({ kind: "hit", hit, source: isNamed ? undefined : { ...hit, hits: hits.length } });
  };
  const full = hits.findIndex(
    (hit, i) =>
      !fits(
        () => sizeOf(hit),
        () => cursorAfter(i + 1),
      ),
  );
  return full < 0 ? [...hits] : hits.slice(0, full);
}

function described({ ranking: { isComplete, query }, tiers }: Found, { streams }: Question) {
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
