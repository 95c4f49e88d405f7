import { classifyCompound } from "@pdpp/language/inflections/compounds";
import type { Clause } from "@pdpp/language/query/query";
import { selectStopWords } from "@pdpp/language/query/stop-words";
import { isTypoOrPluralTypo } from "@pdpp/language/words/typos";
import { requireItem } from "../require-item.ts";
import { reverseTerm } from "../segment/keys.ts";
import { listPartRanges, listTypoRanges, type SplitWord, splitWord } from "./spelling.ts";
import {
  compareTerms,
  keepMostFrequent,
  lookUpTerms,
  makePhrases,
  matchPrefix,
  matchTerm,
  type SegmentPhrase,
  type SegmentTerm,
  type TermLookup,
  type TermMatches,
  type TermRange,
} from "./term-lookup.ts";

/** The dictionary terms that a clause matches: the word itself, its inflections, compounds, other spellings. */
export interface ClausePlan {
  readonly terms: readonly SegmentTerm[];
  readonly phrases: readonly SegmentPhrase[];
  /** Words searched for in addition. A word that was split has several parts. */
  readonly expansions: readonly (readonly string[])[];
  /** Whether only some of the terms with the prefix are searched for. */
  readonly isTruncated: boolean;
  /** Whether the word was taken for a typo, because no visible document contains it. */
  readonly isGuess: boolean;
  /** For a phrase, how many visible documents contain each of its content words. */
  readonly contentCounts: readonly number[];
}

export interface PlanOptions extends TermLookup {
  /** Whether a visible document contains one of these phrases. */
  hasVisibleMatch(phrases: readonly SegmentPhrase[]): Promise<boolean>;
}

type WordClause = Extract<Clause, { kind: "word" }>;

const weights = { joined: 0.9, compound: 0.35, split: 0.8, typo: 0.5 } as const;
const maxPrefixTerms = 500;
const maxCompounds = 24;
/** A filtered source may hide most compounds, so more are looked up to find the visible ones. */
const maxFilteredCompounds = 200;
const maxTypos = 8;
const maxHashes = 8;
/** At most this many unknown words are tried in other spellings. */
const maxRespelledWords = 4;

/** Plans clauses that must not match. Only exact words and inflections are excluded. */
export const planExcluded = (options: PlanOptions, clauses: readonly Clause[]): Promise<ClausePlan[] | null> =>
  planClauses(options, clauses, { isExpanded: false, joined: new Map() });

/** Plans clauses to search for. `joined` has, by clause, the words that the clause is part of: `email` for `e-mail`. */
export const planWanted = (
  options: PlanOptions,
  clauses: readonly Clause[],
  joined: ReadonlyMap<number, readonly string[]>,
): Promise<ClausePlan[] | null> => planClauses(options, clauses, { isExpanded: true, joined });

/** Null if it needs more reading than allowed. */
async function planClauses(
  options: PlanOptions,
  clauses: readonly Clause[],
  { isExpanded, joined }: { isExpanded: boolean; joined: ReadonlyMap<number, readonly string[]> },
): Promise<ClausePlan[] | null> {
  const ranges = new RangeList();
  const requests = clauses.map((clause, n) => requestClause(clause, joined.get(n) ?? [], isExpanded, ranges));
  const matches = await lookUpTerms(options, ranges.all);
  if (matches === null) return null;
  const isFiltered = options.sources.some(({ visibility }) => visibility.isFiltered);
  const drafts = requests.map((request) =>
    draftPlan(request, matches, isFiltered ? maxFilteredCompounds : maxCompounds),
  );
  return completePlans(options, clauses, drafts, isExpanded);
}

/** Collects ranges, so that one lookup serves all clauses. */
class RangeList {
  readonly all: TermRange[] = [];
  add = (range: TermRange): number => this.all.push(range) - 1;
}

const collectMatches = (matches: readonly TermMatches[], ranges: readonly number[]): TermMatches =>
  new Map(ranges.flatMap((range) => [...requireItem(matches[range])]));

/** The ranges that a clause was looked up by, as indexes. */
interface ClauseRequest {
  readonly clause: Clause;
  readonly ranges: readonly number[];
  /** The words that it is when written apart. */
  readonly parts: readonly number[];
  /** Reversed terms that end with the word. */
  readonly compoundHeads: number | undefined;
}

function requestClause(
  clause: Clause,
  joined: readonly string[],
  isExpanded: boolean,
  { add }: RangeList,
): ClauseRequest {
  const none = { parts: [], compoundHeads: undefined };
  if (clause.kind === "prefix") return { clause, ranges: [add(matchPrefix(clause.prefix))], ...none };
  if (clause.kind === "phrase") {
    const words = clause.forms.map((word) => add(matchTerm(word)));
    const whole =
      clause.joined === undefined ? [] : [add({ ...matchTerm(clause.joined), weigh: () => weights.joined })];
    return { clause, ranges: [...words, ...whole], ...none };
  }
  const exact = [...clause.inflections.exact, ...joined];
  const hasCompounds = isExpanded && canBePartOfCompound(clause.form);
  const weigh = createWeigher(clause, exact, hasCompounds);
  const prefixes = clause.inflections.prefixes.map(matchPrefix);
  if (hasCompounds && !prefixes.some(({ from }) => clause.form.startsWith(from)))
    prefixes.push(matchPrefix(clause.form));
  const terms = exact.filter((term) => !prefixes.some(({ from, to }) => from <= term && term < to)).map(matchTerm);
  return {
    clause,
    ranges: [...terms, ...prefixes].map((range) => add({ ...range, weigh })),
    parts: (clause.parts ?? []).map((word) => add(matchTerm(word))),
    compoundHeads: hasCompounds ? add({ ...matchPrefix(reverseTerm(clause.form)), isReversed: true }) : undefined,
  };
}

/** Commits and checksums are quoted by their first digits. */
const hashStart = /^(?=.*[a-f])(?=.*\d)[\da-f]{6,63}$/;

const canBePartOfCompound = (word: string): boolean => word.length >= 5 && /^[a-z]+$/.test(word);

/** Weighs the terms found for a word. Cached, because every segment has the same terms. */
function createWeigher(
  { form: word, inflections }: WordClause,
  exact: readonly string[],
  hasCompounds: boolean,
): (term: string) => number {
  const cache = new Map<string, number>();
  const weigh = (term: string): number => {
    const own = Math.max(inflections.weigh(term), exact.includes(term) ? weights.joined : 0);
    if (own > 0) return own;
    return hasCompounds && classifyCompound(word, term) !== null ? weights.compound : 0;
  };
  return (term) => {
    const cached = cache.get(term);
    if (cached !== undefined) return cached;
    const weight = weigh(term);
    cache.set(term, weight);
    return weight;
  };
}

interface DraftPlan extends ClausePlan {
  /** Compounds that the word ends, to be looked up in full. */
  readonly compounds: readonly string[];
  /** Whether to try other spellings if nothing else is found. */
  readonly isUnknownWord: boolean;
  /** Whether to try words that begin with it. */
  readonly isHashStart: boolean;
  /** For a phrase, the terms of each of its content words. */
  readonly content: readonly (readonly SegmentTerm[])[];
}

function draftPlan(
  { clause, ranges, parts, compoundHeads }: ClauseRequest,
  matches: readonly TermMatches[],
  maxHeads: number,
): DraftPlan {
  const draft = {
    ...{ expansions: [], isTruncated: false, isGuess: false, contentCounts: [] },
    ...{ compounds: [], isUnknownWord: false, isHashStart: false, content: [] },
  };
  if (clause.kind === "phrase") {
    const found = ranges.map((range) => requireItem(matches[range]));
    const words = clause.forms.map((word, n) => requireItem(found[n]).get(word) ?? []);
    const whole = [...(found[clause.forms.length]?.values() ?? [])].flat();
    const phrases = makePhrases(words, 1);
    const content = phrases.length === 0 ? [] : selectContent(clause.forms, words);
    return { ...draft, terms: whole, phrases, content };
  }
  const found = collectMatches(matches, ranges);
  if (clause.kind === "prefix") {
    const kept = keepMostFrequent(found, maxPrefixTerms);
    const terms = kept.flatMap(([, each]) => each);
    return { ...draft, terms, phrases: [], isTruncated: kept.length < found.size };
  }
  // Sorted, so that floating-point sums do not depend on how terms are spread over segments.
  const sorted = [...found].sort(compareTerms);
  const isCompound = ([, terms]: readonly [string, readonly SegmentTerm[]]): boolean =>
    terms[0]?.weight === weights.compound;
  const compounds = keepMostFrequent(new Map(sorted.filter(isCompound)), maxCompounds);
  const terms = [...sorted.filter((each) => !isCompound(each)), ...compounds].flatMap(([, each]) => each);
  const heads = compoundHeads === undefined ? [] : [...requireItem(matches[compoundHeads]).keys()].map(reverseTerm);
  const partTerms = (clause.parts ?? []).map((word, n) => requireItem(matches[requireItem(parts[n])]).get(word) ?? []);
  const hasAllParts = partTerms.length > 0 && partTerms.every((each) => each.length > 0);
  return {
    ...draft,
    terms,
    phrases: makePhrases(partTerms, weights.joined),
    expansions: compounds.map(([term]) => [term]),
    compounds: heads
      .filter(
        (term) =>
          !found.has(term) && clause.inflections.weigh(term) === 0 && classifyCompound(clause.form, term) !== null,
      )
      .sort()
      .slice(0, maxHeads),
    isUnknownWord: terms.length === 0 && !hasAllParts,
    isHashStart: terms.length === 0 && hashStart.test(clause.form),
  };
}

function selectContent(
  forms: readonly string[],
  terms: readonly (readonly SegmentTerm[])[],
): readonly (readonly SegmentTerm[])[] {
  const stopWords = selectStopWords(forms, forms.join(" "));
  return forms.flatMap((form, n) => (stopWords.has(form) || forms.indexOf(form) < n ? [] : [requireItem(terms[n])]));
}

/** The second lookup: compounds that words end, and other spellings of words that were not found. */
async function completePlans(
  options: PlanOptions,
  clauses: readonly Clause[],
  drafts: readonly DraftPlan[],
  isExpanded: boolean,
): Promise<ClausePlan[] | null> {
  const ranges = new RangeList();
  const compounds = drafts.map((draft) => draft.compounds.map((term) => ranges.add(matchTerm(term))));
  const hashes = drafts.map(({ isHashStart }, n) => {
    const clause = clauses[n];
    return isExpanded && isHashStart && clause?.kind === "word" ? [ranges.add(matchPrefix(clause.form))] : [];
  });
  const respellings = new Map<number, { word: string; typos: number[]; parts: number[] }>();
  for (const [n, clause] of clauses.entries()) {
    if (!isExpanded || clause.kind !== "word" || drafts[n]?.isUnknownWord !== true) continue;
    if (respellings.size === maxRespelledWords) break;
    const typos = listTypoRanges(clause.form).map(ranges.add);
    respellings.set(n, { word: clause.form, typos, parts: listPartRanges(clause.form).map(ranges.add) });
  }
  const matches = await lookUpTerms(options, ranges.all);
  if (matches === null) return null;
  const splits = new Map<number, SplitWord>();
  for (const [n, { word, parts }] of respellings) {
    const split = splitWord(word, collectMatches(matches, parts));
    if (split !== undefined && (await options.hasVisibleMatch(makePhrases(split.terms, weights.split))))
      splits.set(n, split);
  }
  const contentCounts = await countContent(
    options,
    drafts.map(({ content }) => content),
  );
  if (contentCounts === null) return null;
  return drafts.map(({ terms, phrases, expansions, isTruncated, isGuess }, n): ClausePlan => {
    const found = [...collectMatches(matches, requireItem(compounds[n]))].slice(0, maxCompounds);
    const more = found.flatMap(([, each]) => setWeight(each, weights.compound));
    const names = found.map(([term]) => [term]);
    const plan = {
      ...{ terms: [...terms, ...more], phrases, expansions: [...expansions, ...names] },
      ...{ isTruncated, isGuess, contentCounts: requireItem(contentCounts[n]) },
    };
    const wholes = keepMostFrequent(collectMatches(matches, requireItem(hashes[n])), maxHashes);
    if (wholes.length > 0)
      return { ...plan, terms: wholes.flatMap(([, each]) => each), expansions: wholes.map(([term]) => [term]) };
    const respelling = respellings.get(n);
    if (respelling === undefined || plan.terms.length > 0) return plan;
    const split = splits.get(n);
    if (split !== undefined)
      return { ...plan, phrases: makePhrases(split.terms, weights.split), expansions: [split.words] };
    const typos = [...collectMatches(matches, respelling.typos)].filter(([term]) =>
      isTypoOrPluralTypo(respelling.word, term),
    );
    const kept = keepMostFrequent(new Map(typos), maxTypos);
    return {
      ...plan,
      terms: kept.flatMap(([, each]) => setWeight(each, weights.typo)),
      expansions: kept.map(([term]) => [term]),
      isGuess: kept.length > 0,
    };
  });
}

const setWeight = (terms: readonly SegmentTerm[], weight: number): SegmentTerm[] =>
  terms.map((term) => ({ ...term, weight }));

/** Counts the documents of these words. One with a word in several fields counts once: the most frequent field decides. */
async function countContent(
  { visibility }: PlanOptions,
  clauses: readonly (readonly (readonly SegmentTerm[])[])[],
): Promise<number[][] | null> {
  // The dictionary of a segment counts its deleted documents too.
  const uncounted = clauses.flat(2).filter((term) => term.segment.tombstones !== undefined);
  const visible = uncounted.length === 0 ? new Map() : await visibility.countVisibleDocs(uncounted);
  if (visible === null) return null;
  return clauses.map((words) =>
    words.map((terms) => {
      const bySource = Map.groupBy(terms, ({ source }) => source);
      return [...bySource.values()].reduce((sum, own) => {
        const byField = Map.groupBy(own, ({ field }) => field);
        const counts = [...byField.values()].map((each) =>
          each.reduce((docs, term) => docs + (visible.get(term) ?? term.docCount), 0),
        );
        return sum + Math.max(...counts);
      }, 0);
    }),
  );
}
