import type { Clause, SearchQuery } from "@pdpp/language/query/query";
import { forEachWord, isUnspaced } from "@pdpp/language/words/tokenize";
import { budget } from "../sizes/budget.ts";

/** Where the words of a query stand in a text: whole words in any of their forms, beginnings, phrases word by word. */
export interface Span {
  /** In UTF-16 units of the text. */
  readonly start: number;
  readonly end: number;
  /** The wanted clause of the query that this proves. */
  readonly clause: number;
}

const cluster = /^\P{M}\p{M}*/u;

/** Words that search tried beside those asked for, such as compounds: forms that prove a clause too, by its index. */
export type ExtraForms = ReadonlyMap<number, ReadonlySet<string>>;

/** The first `most` matches (or a few more), in order of their beginnings. */
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

/** White space is in no word, so a text can be searched in pieces that end there. */
function findPieceEnd(text: string, from: number): number {
  const space = /\s/g;
  space.lastIndex = from;
  return space.exec(text)?.index ?? text.length;
}

/** One character of an unspaced script is asked for as the beginning of a pair; only that character is proven. */
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
  // To look at the first letter costs less than anything else, and most words have another.
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
  return clause.kind === "word" ? [...clause.family.exact, ...clause.family.prefixes] : [clause.prefix];
}

function matchesClause(clause: Clause, form: string): boolean {
  if (clause.kind === "word") return clause.family.weigh(form) > 0;
  if (clause.kind === "phrase") return clause.joined === form;
  return form.startsWith(clause.prefix);
}

/**
 * Takes words one by one and tells when the phrase is complete. A bit for each of its words says that the text has it all up to
 * there; several words may have one position, and each of them may go on.
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
