import { isStopWord } from "./stop-words.ts";
import { isSingle, isUnspaced, stemOf, wordsOf } from "./words.ts";

/**
 * What a question asks for. Quotes make a phrase, a trailing `*` a beginning, a leading `-` an exclusion; everything else,
 * punctuation included, is text.
 */
export type Clause =
  /** A word in any of its forms; the form as asked for counts most. */
  | { readonly kind: "word"; readonly form: string; readonly stem: string }
  /** A word that begins so. */
  | { readonly kind: "prefix"; readonly prefix: string }
  /** Words in exactly these forms, one behind the other. */
  | { readonly kind: "phrase"; readonly forms: readonly string[] };

export interface SearchQuery {
  /** What is asked for, each thing once. */
  readonly wanted: readonly Clause[];
  readonly excluded: readonly Clause[];
  /** It is said in a sentence, not in bare words: then no word of it is required. */
  readonly isQuestion: boolean;
}

const maxClauses = 32;
const maxPhraseWords = 32;
/** An optional minus at the beginning of a word, then a quoted phrase or a run without spaces. */
const parts = /(?<=^|\s)(-?)(?:"([^"]*)"|“([^”]*)”)|(\S+)/gu;

export function parseQuery(text: string): SearchQuery {
  const wanted: Clause[] = [];
  const excluded: Clause[] = [];
  parts.lastIndex = 0;
  for (let part = parts.exec(text); part !== null; part = parts.exec(text)) {
    const [, minus, quoted, curly, run] = part;
    const phrase = quoted ?? curly;
    if (phrase !== undefined) {
      (minus === "-" ? excluded : wanted).push(...phraseClauses(phrase));
    } else if (run!.length > 1 && run!.startsWith("-")) {
      excluded.push(...runClauses(run!.slice(1)));
    } else {
      wanted.push(...runClauses(run!));
    }
  }
  const telling = wanted.filter((clause) => clause.kind !== "word" || !isStopWord(clause.form));
  return {
    wanted: distinct(telling.length > 0 ? telling : wanted),
    excluded: distinct(excluded),
    isQuestion: telling.length < wanted.length || /[?？]\s*$/.test(text),
  };
}

function phraseClauses(text: string): Clause[] {
  const forms = wordsOf(text).map(({ form }) => form);
  const shown = forms.filter((form, i) => !isRunEnd(form, forms[i - 1])).slice(0, maxPhraseWords);
  const [only] = shown;
  if (only === undefined) return [];
  return [shown.length === 1 && isUnspaced(only) ? pair(only) : { kind: "phrase", forms: shown }];
}

function runClauses(run: string): Clause[] {
  const words = wordsOf(run);
  return words.flatMap(({ form, end }, i): Clause[] => {
    if (isUnspaced(form)) return isRunEnd(form, words[i - 1]?.form) ? [] : [pair(form)];
    if (i === words.length - 1 && run.slice(end).startsWith("*")) return [{ kind: "prefix", prefix: form }];
    return [{ kind: "word", form, stem: stemOf(form) }];
  });
}

/** The last character of an unspaced run stands alone in the index only at the end of a run, so it is not asked for. */
const isRunEnd = (form: string, before: string | undefined): boolean =>
  isSingle(form) && before !== undefined && isUnspaced(before);

/** One character of an unspaced script is found wherever a pair begins with it. */
const pair = (form: string): Clause =>
  isSingle(form) ? { kind: "prefix", prefix: form } : { kind: "word", form, stem: form };

function distinct(clauses: readonly Clause[]): readonly Clause[] {
  if (clauses.length < 2) return clauses;
  const keyOf = (clause: Clause) => (clause.kind === "word" ? `word ${clause.stem}` : JSON.stringify(clause));
  return [...new Map(clauses.map((clause) => [keyOf(clause), clause])).values()].slice(0, maxClauses);
}
