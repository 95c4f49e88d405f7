import type { Clause, SearchQuery } from "@pdpp/language/query/query";
import { forEachWord, isUnspaced } from "@pdpp/language/words/tokenize";
import { budget } from "../sizes/budget.ts";

/** A match of a query in a text: a word in any of its forms, a prefix, or a phrase. */
export interface Span {
  /** In UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** Index of the matched clause among the wanted ones. */
  readonly clause: number;
}

const cluster = /^\P{M}\p{M}*/u;

/** Forms that search also accepted for a clause, such as compounds, by clause index. */
export type ExtraForms = ReadonlyMap<number, ReadonlySet<string>>;

/** The first `most` matches or slightly more, in order. */
export function findSpans(
  text: string,
  query: SearchQuery,
  most: number = budget.match.spans,
  also: ExtraForms = new Map(),
): Span[] {
  const spans: Span[] = [];
  const clausesOf = createClauseLookup(query, also);
  const phrases = query.wanted.flatMap((clause, index) => {
    const forms = clause.kind === "phrase" ? clause.forms : clause.kind === "word" ? clause.parts : undefined;
    return forms === undefined ? [] : [createPhraseFinder(forms, index)];
  });
  let words = 0;
  for (let from = 0; from < text.length && spans.length < most; ) {
    const end = findPieceEnd(text, from + budget.match.scanUnits);
    const base = from;
    const first = words;
    forEachWord(text.slice(from, end), (form, at, to, position) => {
      const [start, wordEnd] = [base + at, base + to];
      words = first + position + 1;
      for (const clause of clausesOf(form)) {
        spans.push({ start, end: findMatchEnd(text, query.wanted[clause]!, start, wordEnd), clause });
      }
      for (const find of phrases) {
        const phrase = find(form, start, wordEnd, first + position);
        if (phrase !== null) spans.push(phrase);
      }
    });
    from = end;
  }
  return spans.sort((a, b) => a.start - b.start || a.end - b.end);
}

/** Words contain no white space, so a text can be searched in pieces that end there. */
function findPieceEnd(text: string, from: number): number {
  const space = /\s/g;
  space.lastIndex = from;
  return space.exec(text)?.index ?? text.length;
}

/** A single character of an unspaced script is searched as the prefix of a pair, but only the character itself matched. */
function findMatchEnd(text: string, clause: Clause, start: number, end: number): number {
  if (clause.kind !== "prefix" || !isUnspaced(clause.prefix)) return end;
  return start + cluster.exec(text.slice(start, end))![0].length;
}

const none: readonly number[] = [];

function createClauseLookup(
  { wanted, runs }: Pick<SearchQuery, "wanted" | "runs">,
  also: ExtraForms,
): (form: string) => readonly number[] {
  const known = new Map<string, readonly number[]>();
  const joined = new Map(runs.flatMap((run) => (run.joined === undefined ? [] : [[run.joined, run.clauses] as const])));
  // Comparing first letters is cheap and rules out most words.
  const firsts = new Set(
    [...wanted.flatMap(listPrefixes), ...joined.keys(), ...[...also.values()].flatMap((forms) => [...forms])].map(
      (each) => each.charCodeAt(0),
    ),
  );
  return (form) => {
    if (!firsts.has(form.charCodeAt(0))) return none;
    const held = known.get(form);
    if (held !== undefined) return held;
    const ofRun = joined.get(form);
    const clauses = wanted.flatMap((clause, index) =>
      matchesClause(clause, form) || ofRun?.includes(index) || also.get(index)?.has(form) ? [index] : [],
    );
    known.set(form, clauses);
    return clauses;
  };
}

function listPrefixes(clause: Clause): readonly string[] {
  if (clause.kind === "phrase") return clause.joined === undefined ? [] : [clause.joined];
  return clause.kind === "word" ? [...clause.inflections.exact, ...clause.inflections.prefixes] : [clause.prefix];
}

function matchesClause(clause: Clause, form: string): boolean {
  if (clause.kind === "word") return clause.inflections.weigh(form) > 0;
  if (clause.kind === "phrase") return clause.joined === form;
  return form.startsWith(clause.prefix);
}

/**
 * Takes words one by one and reports when the phrase is complete. Bit i is set if the text matches the phrase up to word i.
 * Several words may share a position, and each may continue the phrase.
 */
function createPhraseFinder(
  forms: readonly string[],
  clause: number,
): (form: string, start: number, end: number, position: number) => Span | null {
  const bits = new Map<string, number>();
  for (const [i, form] of forms.entries()) bits.set(form, (bits.get(form) ?? 0) | (1 << i));
  const last = 1 << (forms.length - 1);
  const starts: number[] = [];
  let [before, now, at] = [0, 0, -1];
  return (form, start, end, position) => {
    if (position !== at) [before, now, at] = [now, 0, position];
    starts[position % forms.length] = start;
    const reached = ((before << 1) | 1) & (bits.get(form) ?? 0);
    now |= reached;
    return (reached & last) === 0 ? null : { start: starts[(position + 1) % forms.length]!, end, clause };
  };
}
