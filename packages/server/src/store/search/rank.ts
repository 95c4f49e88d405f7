import { type Clause, parseQuery, type Run, type SearchQuery } from "@pdpp/language/query/query";
import { isUnspaced } from "@pdpp/language/words/words";
import { canRead } from "../access/scope.ts";
import { countRecords } from "../records/records.ts";
import { type Looking, type PhraseTerm, phrasesOf, TooHeavy } from "./dictionary.ts";
import type { IndexReader } from "./index-reader.ts";
import { insideOf } from "./inside.ts";
import { bytesFor, listsOf, type RecordList } from "./lists.ts";
import { type Beside, bestPlaces, withNeighbours } from "./neighbours.ts";
import { type Searching, type Share, type Sheet, sheetOf } from "./sheet.ts";
import { havingAmong, type SearchedStream, sourcesOf } from "./sources.ts";
import { type FoundClause, findClauses } from "./terms.ts";

/** Finding and ranking: one BM25 for both engines, with everything it counts counted inside the scope. */

/** The records of a connection that were found, by their names in the index. */
interface RankedSource {
  readonly stream: SearchedStream;
  readonly connectionNo: number;
  readonly docs: readonly number[];
  readonly scores: Float64Array;
  /** How many of the things asked for each has, guesses included. */
  readonly matched: Uint16Array;
  /** How many of them it has without guessing at typos. */
  readonly certain: Uint16Array;
  /** By place: what was found in records beside it. */
  readonly beside: ReadonlyMap<number, readonly Beside[]>;
}

export type Tier = "all" | "most" | "any";
export type Tiers = Readonly<Record<Tier, number>>;

export const tierNames: readonly Tier[] = ["all", "most", "any"];

/** 0 when a record has all that is wanted, 1 when most, 2 when less. */
export function tierOf(matched: number, wanted: number): number {
  if (matched === wanted) return 0;
  return matched * 2 > wanted ? 1 : 2;
}

export interface Ranking {
  /** What was searched for in the end: of very many words the rarest. */
  readonly query: SearchQuery;
  readonly ranked: readonly RankedSource[];
  /** Whether every record that has anything was ranked. */
  readonly complete: boolean;
  /** How rare each wanted thing is among all records of the scope. */
  readonly rarities: readonly number[];
  /** Other words that were searched for, by wanted thing. */
  readonly also: readonly (readonly (readonly string[])[])[];
  /** Wanted things that no record of the scope has. Those that were searched for with typos corrected are among them. */
  readonly missing: readonly Clause[];
  /** Whether hits were looked for with typos corrected, by wanted thing. */
  readonly guessed: readonly boolean[];
  /** Wanted things of which only some words were searched for. */
  readonly cut: readonly Clause[];
  /** Phrases that no record has, so that their words were searched for instead. */
  readonly unmet: readonly Clause[];
}

/** Of more words than these, the rarest are searched for. */
const mostClauses = 128;
/** So many places of words are read for one question; of the most common words then the newest. */
export const mostPlaces = 2_000_000;
/** What is less is read at once, without asking another thread. */
const lightBytes = 96 * 1024;

const saturation = 1.2;

export interface Search extends Searching {
  readonly reader: IndexReader;
  readonly streams: readonly SearchedStream[];
  readonly query: SearchQuery;
  readonly revision: number;
}

/** Null when the question is for a thread of its own. */
export async function rank(search: Search, weight: "light" | "heavy"): Promise<Ranking | null> {
  try {
    return await ranked(search, weight);
  } catch (error) {
    if (error instanceof TooHeavy) return null;
    throw error;
  }
}

async function ranked(search: Search, weight: "light" | "heavy"): Promise<Ranking | null> {
  const { on, dialect, reader, streams, query, revision } = search;
  const sources = await sourcesOf(on, dialect, reader, streams, revision);
  const ownerNo = streams[0]?.scope.ownerNo ?? 0;
  // A scope without any word is no other than one whose words are not those asked for.
  if (query.wanted.length === 0) return nothingFound(query);
  const mostBytes = weight === "light" ? lightBytes : Number.POSITIVE_INFINITY;
  const inside = insideOf(on, dialect, reader, ownerNo, sources, search.upTo, mostBytes);
  const hasRecord = (list: readonly RecordList[]): boolean =>
    list.some(({ source, segment, docs }) => {
      const sees = inside.sees(source);
      return docs.some((doc) => doc <= search.upTo && segment.gone?.has(doc) !== true && sees?.(doc) !== false);
    });
  const stands = async (phrases: readonly PhraseTerm[]): Promise<boolean> => {
    const clause = { terms: [], phrases, also: [], isCut: false };
    const read = await reader.bytes(on, ownerNo, bytesFor(clause));
    return hasRecord(listsOf(clause, read.values(), search.stillWanted));
  };
  const look: Looking = { on, reader, ownerNo, sources, inside, stands, stillWanted: search.stillWanted };
  const all = await findClauses(look, query.wanted, true, joinedOf(query.runs));
  const wanted = rarest(query, all);
  const excluded = await findClauses(look, query.excluded, false);
  const runs = wanted.query.runs.flatMap((run) => runClause(wanted.query, wanted.found, run));
  const { clauses, complete } = withinBudget([...wanted.found, ...excluded, ...runs]);
  const bytes = clauses.flatMap(bytesFor);
  const missing = bytes.filter(({ range }) => !inside.read.has(range));
  if (sum(missing, ({ range }) => range.size) > mostBytes) return null;
  const added = (await reader.bytes(on, ownerNo, missing)).values();
  const read = bytes.map(({ range }) => inside.read.get(range) ?? added.next().value ?? Buffer.alloc(0)).values();
  const lists = clauses.map((clause) => listsOf(clause, read, search.stillWanted));
  const [ends, behind] = [wanted.found.length, wanted.found.length + excluded.length];
  const grouped = { wanted: lists.slice(0, ends), excluded: lists.slice(ends, behind), runs: lists.slice(behind) };
  const sheets: Sheet[] = [];
  for (const [n, source] of sources.entries()) {
    const sheet = await sheetOf(search, source, n, grouped, inside.sees(n));
    if (sheet !== null) sheets.push(sheet);
  }
  const countOf = (clause: number) => sum(sheets, ({ shares }) => shares[clause]?.places.length ?? 0);
  const unmet = wanted.query.wanted.filter(
    (clause, n) => clause.kind === "phrase" && isSeveral(clause) && countOf(n) === 0,
  );
  if (unmet.length > 0) {
    const looser = await rank({ ...search, query: loosened(wanted.query, unmet) }, weight);
    return looser === null ? null : { ...looser, unmet };
  }
  const total = await recordsIn(search);
  const rarities = wanted.query.wanted.map(
    (clause, n) => rarityOf(countOf(n), total) * (isIdentifier(clause) ? identifierWeight : 1),
  );
  const runRarities = runs.map((_, run) =>
    rarityOf(
      sum(sheets, (sheet) => sheet.runs[run]?.places.length ?? 0),
      total,
    ),
  );
  // What no record has tells nothing about any of them.
  const obtainable = rarities.reduce((all, rarity, n) => all + (countOf(n) > 0 ? rarity ** 2 : 0), 0);
  const guessed = wanted.found.map(({ isGuess }) => isGuess === true);
  const scoredSources: RankedSource[] = [];
  for (const sheet of sheets) {
    search.stillWanted();
    scoredSources.push(await scored(search, sheet, { rarities, runRarities, guessed, obtainable }));
  }
  const isComplete = complete && inside.isComplete();
  // Records that are excluded have their words all the same, so the lists are asked, and not the sheets.
  const isMissing = (clause: FoundClause): boolean => {
    if (clause.isGuess || placesIn(clause) === 0) return true;
    const n = wanted.found.indexOf(clause);
    return n >= 0 && countOf(n) === 0 && !hasRecord(lists[n] ?? []);
  };
  return {
    query: wanted.query,
    ranked: scoredSources,
    complete: isComplete,
    rarities,
    also: wanted.found.map(({ also }) => also),
    missing: isComplete ? query.wanted.filter((_, n) => all[n] !== undefined && isMissing(all[n])) : [],
    guessed,
    cut: wanted.query.wanted.filter((_, n) => wanted.found[n]?.isCut),
    unmet: [],
  };
}

/** An identifier names one thing, so it counts more than any one word beside it. */
const identifierWeight = 3;
const isIdentifier = (clause: Clause): boolean => clause.kind === "phrase" && clause.identifier !== undefined;

const isSeveral = (clause: Clause): boolean => clause.kind === "phrase" && clause.forms.length > 1;

/** A passage that nowhere stands word for word is asked for by its words. */
function loosened(query: SearchQuery, unmet: readonly Clause[]): SearchQuery {
  const words = (clause: Clause): readonly Clause[] =>
    clause.kind === "phrase" && unmet.includes(clause) ? parseQuery(clause.forms.join(" ")).wanted : [clause];
  return { ...query, wanted: query.wanted.flatMap(words), runs: [] };
}

/** By clause: the words that it is a part of when its run is written as one. */
function joinedOf(runs: readonly Run[]): ReadonlyMap<number, readonly string[]> {
  const joined = new Map<number, string[]>();
  for (const { clauses, joined: form } of runs) {
    for (const clause of form === undefined ? [] : clauses)
      joined.set(clause, [...(joined.get(clause) ?? []), form ?? ""]);
  }
  return joined;
}

const longestRun = 12;

/** The words of a run one behind the other, just as they stood in the question. */
function runClause({ wanted }: SearchQuery, found: readonly FoundClause[], { clauses }: Run): FoundClause[] {
  if (clauses.length < 2 || clauses.length > longestRun) return [];
  const words = clauses.map((clause) => {
    const asked = wanted[clause];
    if (asked?.kind !== "word" || isUnspaced(asked.form)) return [];
    return (found[clause]?.terms ?? []).filter(({ form }) => form === asked.form);
  });
  const phrases = words.every((terms) => terms.length > 0) ? phrasesOf(words, 1) : [];
  return phrases.length === 0 ? [] : [{ terms: [], phrases, also: [], isCut: false }];
}

/** How many records the scope has, those without any word included. */
async function recordsIn({ on, dialect, reader, streams, revision }: Search): Promise<number> {
  let total = 0;
  for (const { scope, conditions } of streams) {
    if (conditions.length > 0 || scope.time !== undefined || scope.resources !== undefined) {
      total += await countRecords(on, dialect, scope, conditions);
      continue;
    }
    const held = await reader.segments(on, scope.ownerNo, revision);
    total += sum(scope.connections, ({ no }) => held.records(scope.stream.streamNo, no));
  }
  return total;
}

const nothingFound = (query: SearchQuery): Ranking => ({
  query,
  ranked: [],
  complete: true,
  rarities: [],
  also: [],
  missing: [],
  guessed: [],
  cut: [],
  unmet: [],
});

const sum = <T>(items: readonly T[], of: (item: T) => number): number => items.reduce((all, item) => all + of(item), 0);

/** How much it tells that a record has something that `count` of `total` records have. */
const rarityOf = (count: number, total: number): number =>
  Math.max(Math.log(1 + (total - count + 0.5) / (count + 0.5)), 0.01);

const placesIn = ({ terms, phrases }: FoundClause): number =>
  sum(terms, ({ count }) => count) + sum(phrases, ({ count }) => count);

function rarest(
  query: SearchQuery,
  found: readonly FoundClause[],
): { query: SearchQuery; found: readonly FoundClause[] } {
  if (found.length <= mostClauses) return { query, found };
  const kept = found
    // What nothing has is no help to find anything.
    .map((clause, n) => ({ n, places: placesIn(clause) || Number.POSITIVE_INFINITY }))
    .sort((a, b) => (a.places < b.places ? -1 : a.places > b.places ? 1 : a.n - b.n))
    .slice(0, mostClauses)
    .map(({ n }) => n)
    .sort((a, b) => a - b);
  return {
    query: { ...query, wanted: kept.flatMap((n) => query.wanted[n] ?? []), runs: [] },
    found: kept.flatMap((n) => found[n] ?? []),
  };
}

/** Rare things first; of a thing that does not fit, the newest records. */
function withinBudget(found: readonly FoundClause[]): { clauses: FoundClause[]; complete: boolean } {
  let left = mostPlaces;
  let complete = true;
  const clauses = [...found];
  const byPlaces = found
    .map((clause, n) => ({ clause, n, places: placesIn(clause) }))
    .sort((a, b) => a.places - b.places);
  for (const { clause, n, places } of byPlaces) {
    if (places <= left) {
      left -= places;
      continue;
    }
    complete = false;
    const newest = clause.terms
      .flatMap((term) =>
        term.entries.length === 1
          ? [term]
          : term.entries.map((entry) => ({ ...term, entries: [entry], count: entry.count })),
      )
      .sort((a, b) => (b.entries[0]?.last ?? 0) - (a.entries[0]?.last ?? 0));
    const terms = newest.filter(({ count }) => {
      left -= count;
      return left >= 0;
    });
    clauses[n] = { ...clause, terms, phrases: [] };
    left = Math.max(0, left);
  }
  return { clauses, complete };
}

/** Scores that differ by less are equal, and the newer record comes first. */
const rounded = (score: number): number => Math.round(score * 1e6) / 1e6;

/** What each wanted thing is worth, whatever record has it. */
interface Worths {
  readonly rarities: readonly number[];
  readonly runRarities: readonly number[];
  readonly guessed: readonly boolean[];
  /** The squared rarities of all wanted things that some record has, added up. */
  readonly obtainable: number;
}

/**
 * How much a score depends on which part of the query a record has, by squared rarity. Without the rarest word, a record needs a good
 * reason to come before one that has it; a long text that repeats the everyday words of a question is no such reason.
 */
const coverageWeight = 0.8;

/** What was written by a program counts less than what it was written from: of two that are close, the original comes first. */
const generatedWeight = 0.75;
/** Of so many records, the best ones, it is looked up who wrote them. The others are taken for generated. */
const maxAuthorsLookedUp = 1000;

async function scored(search: Search, sheet: Sheet, worths: Worths): Promise<RankedSource> {
  const { rarities, runRarities, guessed, obtainable } = worths;
  const { source, docs, shares, runs } = sheet;
  const scores = new Float64Array(docs.length);
  const matched = new Uint16Array(docs.length);
  const certain = guessed.includes(true) ? new Uint16Array(docs.length) : matched;
  const covered = new Float64Array(docs.length);
  const addTo = ({ places, density }: Share, rarity: number, counts: readonly Uint16Array[]) => {
    for (let i = 0; i < places.length; i += 1) {
      const place = places[i] ?? 0;
      scores[place] = (scores[place] ?? 0) + worthOf(rarity, density[i] ?? 0);
      if (counts.length > 0) covered[place] = (covered[place] ?? 0) + rarity ** 2;
      for (const count of counts) count[place] = (count[place] ?? 0) + 1;
    }
  };
  const both = [...new Set([matched, certain])];
  for (const [n, share] of shares.entries()) addTo(share, rarities[n] ?? 0, guessed[n] ? [matched] : both);
  for (const [n, share] of runs.entries()) addTo(share, runRarities[n] ?? 0, []);
  const worth = (clause: number, density: number) => worthOf(rarities[clause] ?? 0, density);
  const beside = await withNeighbours(search, sheet, worth, scores);
  for (const [place, found] of beside)
    for (const { clause, share } of found)
      covered[place] = (covered[place] ?? 0) + share * (rarities[clause] ?? 0) ** 2;
  for (let place = 0; place < scores.length; place += 1) {
    const coverage = obtainable > 0 ? (covered[place] ?? 0) / obtainable : 1;
    scores[place] = (scores[place] ?? 0) * (1 - coverageWeight + coverageWeight * coverage);
  }
  await demoteGenerated(search, sheet, scores);
  for (let place = 0; place < scores.length; place += 1) scores[place] = rounded(scores[place] ?? 0);
  return { stream: source.stream, connectionNo: source.connectionNo, docs, scores, matched, certain, beside };
}

/** A field outside the grant decides nothing. */
async function demoteGenerated({ on, dialect }: Search, sheet: Sheet, scores: Float64Array): Promise<void> {
  const { scope } = sheet.source.stream;
  const { generated } = scope.stream.declaration;
  const column = generated && canRead(scope, generated.field) ? scope.stream.columns.get(generated.field) : undefined;
  if (generated === undefined || column === undefined) return;
  const places = bestPlaces(sheet, scores, maxAuthorsLookedUp);
  const docs = places.map((place) => sheet.docs[place] ?? 0);
  const written = await havingAmong(on, dialect, sheet.source, column, generated.values, docs);
  const originals = new Set(places.filter((place) => !written.has(sheet.docs[place] ?? 0)));
  for (let place = 0; place < scores.length; place += 1)
    if (!originals.has(place)) scores[place] = (scores[place] ?? 0) * generatedWeight;
}

const worthOf = (rarity: number, density: number): number =>
  (rarity * density * (saturation + 1)) / (density + saturation);
