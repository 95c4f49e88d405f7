import { budget } from "./budget.ts";
import type { Clause, SearchQuery } from "./query.ts";
import { eachWord, isUnspaced, stemOf } from "./words.ts";

/** Where the words of a query stand in a text: whole words in any of their forms, beginnings, phrases word by word. */
export interface Span {
  /** In UTF-16 units of the text. */
  readonly start: number;
  readonly end: number;
  /** The wanted clause of the query that this proves. */
  readonly clause: number;
}

const cluster = /^\P{M}\p{M}*/u;

/** The first `most` matches (or a few more), in order of their beginnings. */
export function spansOf(text: string, query: SearchQuery, most: number = budget.match.spans): Span[] {
  const spans: Span[] = [];
  const clausesOf = clauseLookup(query.wanted);
  const phrases = query.wanted.flatMap((clause, index) =>
    clause.kind === "phrase" ? [phraseFinder(clause.forms, index)] : [],
  );
  for (let from = 0; from < text.length && spans.length < most; ) {
    const end = endOfPiece(text, from + budget.match.scanUnits);
    const base = from;
    eachWord(text.slice(from, end), (form, at, to) => {
      const [start, wordEnd] = [base + at, base + to];
      for (const clause of clausesOf(form)) {
        spans.push({ start, end: endOfMatch(text, query.wanted[clause]!, start, wordEnd), clause });
      }
      for (const find of phrases) {
        const phrase = find(form, start, wordEnd);
        if (phrase !== null) spans.push(phrase);
      }
    });
    from = end;
  }
  return spans.sort((a, b) => a.start - b.start || a.end - b.end);
}

/** White space is in no word, so a text can be searched in pieces that end there. */
function endOfPiece(text: string, from: number): number {
  const space = /\s/g;
  space.lastIndex = from;
  return space.exec(text)?.index ?? text.length;
}

/** One character of an unspaced script is asked for as the beginning of a pair; only that character is proven. */
function endOfMatch(text: string, clause: Clause, start: number, end: number): number {
  if (clause.kind !== "prefix" || !isUnspaced(clause.prefix)) return end;
  return start + cluster.exec(text.slice(start, end))![0].length;
}

const none: readonly number[] = [];

function clauseLookup(wanted: readonly Clause[]): (form: string) => readonly number[] {
  const known = new Map<string, readonly number[]>();
  // Stemming never changes the first letter, and costs more than looking at it.
  const beginnings = new Set(
    wanted.map((clause) => {
      if (clause.kind === "phrase") return undefined;
      return (clause.kind === "word" ? clause.stem : clause.prefix).charCodeAt(0);
    }),
  );
  return (form) => {
    if (!beginnings.has(form.charCodeAt(0))) return none;
    const held = known.get(form);
    if (held !== undefined) return held;
    const clauses = wanted.flatMap((clause, index) => {
      if (clause.kind === "word") return clause.stem === stemOf(form) ? [index] : [];
      return clause.kind === "prefix" && form.startsWith(clause.prefix) ? [index] : [];
    });
    known.set(form, clauses);
    return clauses;
  };
}

/** Takes words one by one and tells when the phrase is complete; never looks at a word twice (Knuth, Morris, Pratt). */
function phraseFinder(
  forms: readonly string[],
  clause: number,
): (form: string, start: number, end: number) => Span | null {
  const fallback = fallbacks(forms);
  const starts: number[] = [];
  let matched = 0;
  let seen = 0;
  return (form, start, end) => {
    starts[seen % forms.length] = start;
    seen += 1;
    while (matched > 0 && forms[matched] !== form) matched = fallback[matched - 1]!;
    if (forms[matched] === form) matched += 1;
    if (matched < forms.length) return null;
    matched = fallback[matched - 1]!;
    return { start: starts[seen % forms.length]!, end, clause };
  };
}

function fallbacks(forms: readonly string[]): number[] {
  const table = [0];
  for (let i = 1, length = 0; i < forms.length; i += 1) {
    while (length > 0 && forms[i] !== forms[length]) length = table[length - 1]!;
    if (forms[i] === forms[length]) length += 1;
    table.push(length);
  }
  return table;
}
