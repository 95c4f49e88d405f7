import { getInflections, type Inflections } from "../inflections/inflections.ts";
import { isSingleCharacter, isUnspaced, stemWord, tokenize } from "../words/tokenize.ts";
import { findStopWords } from "./find-stop-words.ts";
import { isTrailingCharacter, parseRun, type QueryRun, type QueryWord } from "./query-words.ts";

/**
 * What a question asks for. Quotes make a phrase, a trailing `*` a beginning, a minus before a word or a phrase an exclusion;
 * everything else, punctuation included, is text.
 */
export type Clause =
  /** A word in any of its forms; the form as asked for counts most. */
  | {
      readonly kind: "word";
      readonly form: string;
      readonly stem: string;
      readonly family: Inflections;
      /** Written apart it is these words, one behind the other. */
      readonly parts?: readonly string[];
    }
  /** A word that begins so. */
  | { readonly kind: "prefix"; readonly prefix: string }
  /** Words in exactly these forms, one behind the other. */
  | {
      readonly kind: "phrase";
      readonly forms: readonly string[];
      /** The phrase is an identifier that was written like this, without quotes. */
      readonly identifier?: string;
      /** The identifier as one word. */
      readonly joined?: string;
    };

/** What stood together without a space in the question: 2026-03-14, well-known, getUserById. */
export interface Run {
  /** Its words, as indexes of wanted clauses, in order. */
  readonly clauses: readonly number[];
  /** The run as one word, which stands for all of its clauses: e-mail is email. */
  readonly joined?: string;
}

export interface SearchQuery {
  /** What is asked for, each thing once. */
  readonly wanted: readonly Clause[];
  readonly excluded: readonly Clause[];
  readonly runs: readonly Run[];
  /** It is said in a sentence, not in bare words: then no word of it is required. */
  readonly isQuestion: boolean;
  /** So many things more were asked for than a query can have. */
  readonly omittedCount: number;
}

/** So much of a question is read. */
export const maxQuestionLength = 2000;

export function truncateQuestion(text: string): string {
  if (text.length <= maxQuestionLength) return text;
  const last = text.charCodeAt(maxQuestionLength - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? maxQuestionLength - 1 : maxQuestionLength);
}

const maxClauses = 512;
const maxPhraseWords = 32;

/** Spaces that do not break stand in numbers; anywhere else they are spaces like others. */
const loneSpaces = /(?<!\d)[\u00a0\u202f\u2009]|[\u00a0\u202f\u2009](?!\d)/gu;
/** An optional minus at the beginning of a word, then a quoted phrase or a run without spaces. A quote that never ends is text. */
const parts =
  /(?:(?<=^|\s)(-))?(?:(?<=^|[\s\-([{:=])"([^"]*)"|“([^”]*)”|„([^“”]*)[“”]|«([^»]*)»|»([^«]*)«|「([^」]*)」|『([^』]*)』)|((?:(?![“„«»「『]|(?<=[([{:=])")\S|[\u00a0\u202f\u2009])+)|[“„«»「『]/gu;
/** A minus excludes a word of letters; `-v`, `-5°C` and `--watch` are text. */
const exclusion = /^-(?=\p{L}[\p{L}\p{N}\p{M}'’]|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}])/u;

type Part = { readonly kind: "phrase"; readonly clauses: readonly Clause[] } | ({ readonly kind: "run" } & QueryRun);

export function parseQuery(text: string): SearchQuery {
  const plain = text.replace(loneSpaces, " ");
  const parsed = splitParts(plain, true);
  // Nothing but exclusions asks for nothing: then they are what is meant.
  const { wanted, excluded } = parsed.wanted.length > 0 ? parsed : splitParts(plain, false);
  const untelling = findStopWords(
    wanted.flatMap((part) => (part.kind === "run" ? [part.words] : [])),
    plain,
    wanted.some(({ kind }) => kind === "phrase"),
  );
  const clauses: Clause[] = [];
  const runs: Run[] = [];
  for (const part of wanted) {
    if (part.kind === "phrase") {
      clauses.push(...part.clauses);
      continue;
    }
    const pieces = new Set(part.identifiers.flatMap(({ from, to }) => part.words.slice(from, to)));
    const places = part.words.map((word) =>
      untelling.words.has(word) || pieces.has(word) ? -1 : clauses.push(createClause(word)) - 1,
    );
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
    isQuestion: untelling.isSentence || /[?？]\s*$/.test(text),
    omittedCount: kept.omittedCount,
  };
}

/** Where quoted phrases stand in the text. */
export const findPhrases = (text: string): { start: number; end: number }[] =>
  [...text.replace(loneSpaces, " ").matchAll(parts)].flatMap(({ 0: part, index, ...found }) =>
    [2, 3, 4, 5, 6, 7, 8].some((group) => found[group] !== undefined)
      ? [{ start: index, end: index + part.length }]
      : [],
  );

/** The text with its phrases as bare words: what to ask for when a quoted passage stands nowhere word for word. */
export const removeQuotes = (text: string): string =>
  text.replace(parts, (part, minus: string | undefined, ...quoted: (string | undefined)[]) => {
    const phrase = quoted.slice(0, 7).find((each) => each !== undefined);
    return phrase === undefined || minus !== undefined ? part : ` ${phrase} `;
  });

function splitParts(text: string, withExclusions: boolean): { wanted: Part[]; excluded: Clause[] } {
  const wanted: Part[] = [];
  const excluded: Clause[] = [];
  for (const match of text.matchAll(parts)) {
    const [, minus, ...found] = match;
    const run = found[7];
    const phrase = found.slice(0, 7).find((each) => each !== undefined);
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
  // Of a word with seams its parts, for these are what stands one behind the other.
  const forms = words.filter(({ position }, i) => words[i + 1]?.position !== position).map(({ form }) => form);
  const shown = forms.filter((form, i) => !isTrailingCharacter(form, forms[i - 1])).slice(0, maxPhraseWords);
  const [only] = shown;
  if (only === undefined) return [];
  return [shown.length === 1 && isUnspaced(only) ? createPairClause(only) : { kind: "phrase", forms: shown }];
}

/** Excluding a run must not exclude each of its words wherever it stands. */
function createExclusions(run: string): Clause[] {
  const { words } = parseRun(run, 0);
  return words.length === 1 || words.some(({ isPrefix }) => isPrefix)
    ? words.map(createClause)
    : createPhraseClauses(run);
}

function createClause({ form, written, isPrefix, parts: apart }: QueryWord): Clause {
  if (isUnspaced(form)) return createPairClause(form);
  if (isPrefix) return { kind: "prefix", prefix: form };
  return { ...createWordClause(form, written), ...(apart === undefined ? {} : { parts: apart }) };
}

/** One character of an unspaced script is found wherever a pair begins with it. */
const createPairClause = (form: string): Clause =>
  isSingleCharacter(form) ? { kind: "prefix", prefix: form } : createWordClause(form, form);

const createWordClause = (form: string, written: string): Extract<Clause, { kind: "word" }> => ({
  kind: "word",
  form,
  stem: stemWord(form),
  family: getInflections(form, written),
});

interface Deduplicated {
  readonly clauses: readonly Clause[];
  /** Where each of the given clauses is among them; -1 when it was left out. */
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
