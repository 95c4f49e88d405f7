import type { QueryWord } from "./query-words.ts";
import { completesQuestionWord, isAnyStopWord, isEnglish, selectStopWords } from "./stop-words.ts";

/** Finds the stop words of a query, which are ignored unless there is nothing else. */

const allCapitals = /^\p{Lu}{2,}$/u;
/** Boolean operators of other search engines. */
const operators = new Set(["AND", "OR", "NOT"]);
const capitalised = /^\p{Lu}[\p{Ll}\p{M}]+$/u;
const oneLetter = /^\p{L}$/u;
/** Second halves of English contractions. */
const contracted = new Set(["s", "t", "ll", "re", "ve", "d", "m"]);

export interface StopWordMatches {
  readonly words: ReadonlySet<QueryWord>;
  /** Acronyms that are stop words in lower case: the ER. */
  readonly acronyms: ReadonlySet<QueryWord>;
  /** Whether the query contains words that only a sentence has. */
  readonly isSentence: boolean;
}

export function findStopWords(
  runs: readonly (readonly QueryWord[])[],
  text: string,
  isMoreAsked: boolean,
): StopWordMatches {
  const all = runs.flat();
  const shouted = new Set(/\p{Ll}/u.test(text) ? all.filter(({ written }) => isAllCapitals(written)) : []);
  const plain = all.filter((word) => !word.isPrefix && word.partAt !== "seam" && !word.isBound && !shouted.has(word));
  const stopWords = selectStopWords(
    plain.map(({ form }) => form),
    text,
  );
  const names = isEnglish(stopWords) ? findNames(plain, text) : new Set();
  const scraps = new Set(runs.flatMap(findScraps));
  const stopped = new Set(plain.filter((word) => stopWords.has(word.form) && !names.has(word) && !scraps.has(word)));
  for (const [i, word] of plain.entries()) if (completesQuestionWord(plain[i - 1]?.form, word.form)) stopped.add(word);
  for (const run of runs) if (isContraction(run, stopWords)) for (const word of run) stopped.add(word);
  const words = new Set([...stopped, ...scraps]);
  const acronyms = new Set([...shouted].filter(({ form }) => isAnyStopWord(form)));
  if (words.size < all.length || isMoreAsked) return { words, acronyms, isSentence: stopped.size > 0 };
  return { words: new Set(), acronyms, isSentence: stopped.size > 0 };
}

const isAllCapitals = (written: string): boolean => allCapitals.test(written) && !operators.has(written);

/** An elided article or a suffix, such as l', d' or 's. */
function findScraps(run: readonly QueryWord[]): readonly QueryWord[] {
  const parts = run.filter(({ partAt }) => partAt === "apostrophe");
  const scraps = parts.filter(({ form }, i) => oneLetter.test(form) || (i > 0 && contracted.has(form)));
  return scraps.length < parts.length ? scraps : [];
}

/** don't, what's, we'll. */
function isContraction(run: readonly QueryWord[], stopWords: ReadonlySet<string>): boolean {
  const [first, ...rest] = run;
  if (first?.partAt !== "apostrophe" || rest.length === 0 || !rest.every(({ form }) => contracted.has(form)))
    return false;
  return stopWords.has(first.form) || stopWords.has(run.map(({ form }) => form).join(""));
}

/** A capitalized word inside an English sentence is a name (Will), unless most words are capitalized. */
function findNames(words: readonly QueryWord[], text: string): ReadonlySet<QueryWord> {
  const inside = words.filter(({ written, at }) => written.length > 1 && !startsSentence(text, at));
  const capitals = inside.filter(({ written }) => capitalised.test(written));
  return new Set(capitals.length * 2 <= inside.length || inside.length === 1 ? capitals : []);
}

/** How many characters before a word are checked for the end of a sentence. */
const reach = 16;

function startsSentence(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - reach), at);
  return /[.!?:]\s+[^\p{L}\p{N}]*$/u.test(before) || (at < reach && !/[\p{L}\p{N}]/u.test(before));
}
