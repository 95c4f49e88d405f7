import { createExact, getInflections, type Inflections } from "../inflections/inflections.ts";
import { isSingleCharacter, isUnspaced, stemWord, tokenize } from "../words/tokenize.ts";
import { findStopWords } from "./find-stop-words.ts";
import { isTrailingCharacter, parseRun, type QueryRun, type QueryWord } from "./query-words.ts";
import { isVietnamese } from "./vietnamese.ts";

/**
 * A parsed query. Quotes make a phrase, a trailing `*` a prefix, and a minus before a word or phrase an exclusion; everything
 * else, including punctuation, is text.
 */
export type Clause =
  /** A word in any of its forms; the form as typed scores highest. */
  | {
      readonly kind: "word";
      readonly form: string;
      readonly stem: string;
      readonly inflections: Inflections;
      /** The same word written as several: consecutive words. */
      readonly parts?: readonly string[];
      /** Written in capitals, without which it would be a stop word. */
      readonly isAcronym?: true;
    }
  | { readonly kind: "prefix"; readonly prefix: string }
  /** Consecutive words in exactly these forms. */
  | {
      readonly kind: "phrase";
      readonly forms: readonly string[];
      /** Set for an identifier written without quotes. */
      readonly identifier?: string;
      /** The identifier as one word. */
      readonly joined?: string;
    };

/** Words written without a space between them: 2026-03-14, well-known, getUserById. */
export interface Run {
  /** Indexes of its words among the wanted clauses, in order. */
  readonly clauses: readonly number[];
  /** The run as one word, which satisfies all its clauses: e-mail matches email. */
  readonly joined?: string;
}

/** Two words that follow each other in the query, as indexes of wanted clauses. */
export type AdjacentPair = readonly [first: number, second: number];

export interface SearchQuery {
  /** Distinct clauses to search for. */
  readonly wanted: readonly Clause[];
  readonly excluded: readonly Clause[];
  readonly runs: readonly Run[];
  readonly adjacent: readonly AdjacentPair[];
  /** Phrased as a sentence, so no single word is required. */
  readonly isQuestion: boolean;
  /** Clauses dropped because there were too many. */
  readonly omittedCount: number;
}

/** Anything beyond this length is ignored. */
export const maxQuestionLength = 2000;

export function truncateQuestion(text: string): string {
  if (text.length <= maxQuestionLength) return text;
  const last = text.charCodeAt(maxQuestionLength - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? maxQuestionLength - 1 : maxQuestionLength);
}

const maxClauses = 512;
const maxPhraseWords = 32;

/** Non-breaking spaces group digits; anywhere else they separate words. */
const loneSpaces = /(?<!\d)[\u00a0\u202f\u2009]|[\u00a0\u202f\u2009](?!\d)/gu;
/**
 * An optional minus at the start of a word, then a quoted phrase or a run without spaces. An unclosed quote is text. A single quote
 * inside a word is an apostrophe.
 */
const parts =
  /(?:(?<=^|\s)(?<minus>-))?(?:(?<=^|[\s\-([{:=])"(?<phrase>[^"]*)"|“(?<phrase>[^”]*)”|„(?<phrase>[^“”]*)[“”]|«(?<phrase>[^»]*)»|»(?<phrase>[^«]*)«|「(?<phrase>[^」]*)」|『(?<phrase>[^』]*)』|(?<=^|[\s\-([{:=])(?:'(?=\S)(?<phrase>(?:[^']|\b'\b)*)(?<=\S)'|‘(?=\S)(?<phrase>(?:[^’]|\b’\b)*)(?<=\S)’|‚(?=\S)(?<phrase>[^‚‘’]*)[‘’]|‹(?<phrase>[^›]*)›)(?![\p{L}\p{N}]))|(?<run>(?:(?![“„«»「『]|(?<=[([{:=])["'‘‚‹])\S|[\u00a0\u202f\u2009])+)|[“„«»「『]/gu;
/** A minus excludes words only; `-v`, `-5°C` and `--watch` are text. */
const exclusion = /^-(?=\p{L}[\p{L}\p{N}\p{M}'’]|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}])/u;

type Part = { readonly kind: "phrase"; readonly clauses: readonly Clause[] } | ({ readonly kind: "run" } & QueryRun);

export function parseQuery(text: string): SearchQuery {
  const plain = text.replace(loneSpaces, " ");
  const isSyllabic = isVietnamese(plain);
  const parsed = splitParts(plain, true);
  // A query of exclusions alone would match nothing, so read them as text.
  const { wanted, excluded } = parsed.wanted.length > 0 ? parsed : splitParts(plain, false);
  const untelling = findStopWords(
    wanted.flatMap((part) => (part.kind === "run" ? [part.words] : [])),
    plain,
    wanted.some(({ kind }) => kind === "phrase"),
  );
  const clauses: Clause[] = [];
  const runs: Run[] = [];
  /** The clause of each word in order; -1 for words and phrases that separate their neighbours. */
  const sequence: number[] = [];
  for (const part of wanted) {
    if (part.kind === "phrase") {
      clauses.push(...part.clauses);
      sequence.push(-1);
      continue;
    }
    const pieces = new Set(part.identifiers.flatMap(({ from, to }) => part.words.slice(from, to)));
    const addClause = (word: QueryWord): number => {
      const clause = createClause(word, isSyllabic);
      return (
        clauses.push(clause.kind === "word" && untelling.acronyms.has(word) ? { ...clause, isAcronym: true } : clause) -
        1
      );
    };
    const places = part.words.map((word) => (untelling.words.has(word) || pieces.has(word) ? -1 : addClause(word)));
    sequence.push(...places);
    for (const { from, to, written } of part.identifiers) {
      const joined = part.joins.find((join) => join.from === from && join.to === to)?.joined;
      const [clause] = createPhraseClauses(written);
      if (clause?.kind === "phrase")
        clauses.push({ ...clause, identifier: written, ...(joined === undefined ? {} : { joined }) });
    }
    for (const { from, to, joined } of part.joins) runs.push({ clauses: places.slice(from, to), joined });
    if (!part.joins.some(({ from, to }) => to - from === places.length)) runs.push({ clauses: places });
  }
  const kept = deduplicate(clauses);
  return {
    wanted: kept.clauses,
    excluded: deduplicate(excluded).clauses,
    runs: remapRuns(runs, kept.places),
    adjacent: pairAdjacent(
      kept.clauses,
      sequence.map((clause) => kept.places[clause] ?? -1),
    ),
    isQuestion: untelling.isSentence || /[?？]\s*$/.test(text),
    omittedCount: kept.omittedCount,
  };
}

export const findPhrases = (text: string): { start: number; end: number }[] =>
  [...text.replace(loneSpaces, " ").matchAll(parts)].flatMap(({ 0: part, index, groups }) =>
    groups?.phrase === undefined ? [] : [{ start: index, end: index + part.length }],
  );

/** Turns phrases into plain words, for when a quoted passage is found nowhere. */
export const removeQuotes = (text: string): string =>
  text.replace(parts, (part, ...found) => {
    const { minus, phrase } = found.at(-1) as PartGroups;
    return phrase === undefined || minus !== undefined ? part : ` ${phrase} `;
  });

type PartGroups = { readonly [group in "minus" | "phrase" | "run"]?: string };

function splitParts(text: string, withExclusions: boolean): { wanted: Part[]; excluded: Clause[] } {
  const wanted: Part[] = [];
  const excluded: Clause[] = [];
  for (const match of text.matchAll(parts)) {
    const { minus, phrase, run }: PartGroups = match.groups ?? {};
    if (phrase !== undefined) {
      const clauses = createPhraseClauses(phrase);
      if (minus !== undefined && withExclusions) excluded.push(...clauses);
      else if (clauses.length > 0) wanted.push({ kind: "phrase", clauses });
    } else if (run !== undefined && withExclusions && exclusion.test(run)) {
      excluded.push(...createExclusions(run.slice(1)));
    } else if (run !== undefined) {
      const asked = parseRun(run, match.index);
      if (asked.words.length > 0) wanted.push({ kind: "run", ...asked });
    }
  }
  return { wanted, excluded };
}

function createPhraseClauses(text: string): Clause[] {
  const words = tokenize(text);
  // For a word made of parts, the parts: they are what follows each other in the index.
  const forms = words.filter(({ position }, i) => words[i + 1]?.position !== position).map(({ form }) => form);
  const shown = forms.filter((form, i) => !isTrailingCharacter(form, forms[i - 1])).slice(0, maxPhraseWords);
  const [only] = shown;
  if (only === undefined) return [];
  return [shown.length === 1 && isUnspaced(only) ? createPairClause(only) : { kind: "phrase", forms: shown }];
}

/** Excluding well-known must not exclude every record with "well". */
function createExclusions(run: string): Clause[] {
  const { words } = parseRun(run, 0);
  return words.length === 1 || words.some(({ isPrefix }) => isPrefix)
    ? words.map((word) => createClause(word))
    : createPhraseClauses(run);
}

function createClause({ form, written, isPrefix, parts: apart }: QueryWord, isSyllable = false): Clause {
  if (isUnspaced(form)) return createPairClause(form);
  if (isPrefix) return { kind: "prefix", prefix: form };
  if (isSyllable) return { kind: "word", form, stem: form, inflections: createExact([form]) };
  return { ...createWordClause(form, written), ...(apart === undefined ? {} : { parts: apart }) };
}

/** A single character of an unspaced script matches any pair that starts with it. */
const createPairClause = (form: string): Clause =>
  isSingleCharacter(form) ? { kind: "prefix", prefix: form } : createWordClause(form, form);

const createWordClause = (form: string, written: string): Extract<Clause, { kind: "word" }> => ({
  kind: "word",
  form,
  stem: stemWord(form),
  inflections: getInflections(form, written),
});

interface Deduplicated {
  readonly clauses: readonly Clause[];
  /** The index of each given clause among `clauses`; -1 if it was dropped. */
  readonly places: readonly number[];
  readonly omittedCount: number;
}

function deduplicate(clauses: readonly Clause[]): Deduplicated {
  const indexes = new Map<string, number>();
  const kept: Clause[] = [];
  const places = clauses.map((clause) => {
    const key = clause.kind === "word" ? `word ${clause.stem}` : JSON.stringify(clause);
    const index = indexes.get(key) ?? indexes.size;
    indexes.set(key, index);
    if (index >= maxClauses) return -1;
    kept[index] ??= clause;
    return index;
  });
  return { clauses: kept, places, omittedCount: indexes.size - kept.length };
}

function remapRuns(runs: readonly Run[], places: readonly number[]): Run[] {
  return runs.flatMap(({ clauses, joined }): Run[] => {
    const kept = clauses.map((clause) => places[clause] ?? -1).filter((clause) => clause >= 0);
    if (kept.length === 0 || (kept.length === 1 && joined === undefined)) return [];
    return [{ clauses: kept, ...(joined === undefined ? {} : { joined }) }];
  });
}

/** Takes the clause of each word in order, or -1 where neighbours are not adjacent. */
function pairAdjacent(clauses: readonly Clause[], sequence: readonly number[]): AdjacentPair[] {
  const pairs = new Map<string, AdjacentPair>();
  for (let i = 1; i < sequence.length; i += 1) {
    const [first = -1, second = -1] = [sequence[i - 1], sequence[i]];
    if (first === second || clauses[first]?.kind !== "word" || clauses[second]?.kind !== "word") continue;
    pairs.set(`${first} ${second}`, [first, second]);
  }
  return [...pairs.values()];
}

/** Drops pairs with a clause that has no new place. */
export const mapPairs = (pairs: readonly AdjacentPair[], places: ReadonlyMap<number, number>): AdjacentPair[] =>
  pairs.flatMap(([first, second]): AdjacentPair[] => {
    const [left, right] = [places.get(first), places.get(second)];
    return left === undefined || right === undefined ? [] : [[left, right]];
  });
