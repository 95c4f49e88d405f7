import type { MatchEvidence } from "@pdpp/contract/wire";
import type { SearchQuery } from "@pdpp/language/query/query";
import { fetchRecord, type RecordPlace, readFieldFrom } from "../handles/continuation.ts";
import { budget } from "../sizes/budget.ts";
import { countChars, toCharIndex } from "../text/text.ts";
import { clusterMargin, cutWindowTo } from "../windows/window.ts";
import { highlightRanges } from "./marks.ts";
import {
  choosePassages,
  findClauses,
  type Mark,
  overlaps,
  type Passage,
  type PassageChoice,
  unite,
} from "./passages.ts";
import { type ExtraForms, findSpans } from "./spans.ts";

/** The proof of a match: passages of a text in which words of the query stand, with words around them. Counted in characters. */

interface CharRange {
  readonly start: number;
  readonly end: number;
}

export interface MatchWindow extends CharRange {
  /** The passage, verbatim. */
  readonly preview: string;
  /** The passage with tags around the matched words, and dots where it was cut. */
  readonly marked: string;
  /** The matched words, in characters of the whole text. */
  readonly matches: readonly CharRange[];
  /** What the preview has of them, in characters of the preview. */
  readonly marks: readonly CharRange[];
  /** The things that the query asks for and that are in it, a bit for each. */
  readonly clauses: number;
  /** Where a read of it begins that shows more around it: between two words. */
  readonly readFrom: number;
}

export interface MatchChoice extends PassageChoice {
  readonly also?: ExtraForms | undefined;
}

/** So many clauses are told apart, a bit for each. */
const maxClauses = 32;

/** What is asked for, with what each thing is worth and what was tried in its place. */
export interface MatchQuery {
  readonly query: SearchQuery;
  readonly weights: readonly number[] | undefined;
  readonly also: ExtraForms | undefined;
}

/** A long question is proven by the clauses that are worth most. */
export function limitClauses(asked: MatchQuery): MatchQuery {
  const { query, weights, also } = asked;
  if (query.wanted.length <= maxClauses) return asked;
  const worth = (index: number): number => weights?.[index] ?? 1;
  const kept = query.wanted
    .map((_, index) => index)
    .sort((a, b) => worth(b) - worth(a) || a - b)
    .slice(0, maxClauses)
    .sort((a, b) => a - b);
  const placeOf = new Map(kept.map((index, place) => [index, place]));
  const places = (indexes: readonly number[]) => indexes.flatMap((index) => placeOf.get(index) ?? []);
  return {
    query: {
      ...query,
      wanted: kept.map((index) => query.wanted[index]!),
      runs: query.runs.map((run) => ({ ...run, clauses: places(run.clauses) })),
    },
    weights: kept.map(worth),
    also: new Map(
      [...(also ?? [])].flatMap(([index, forms]) => places([index]).map((place) => [place, forms] as const)),
    ),
  };
}

/** The best passages, best first; none when nothing matched. */
export function findMatchWindows(text: string, asked: SearchQuery, choice: Partial<MatchChoice> = {}): MatchWindow[] {
  const { query, weights, also } = limitClauses({ query: asked, weights: choice.weights, also: choice.also });
  const spans = findSpans(text, query, undefined, also);
  if (spans.length === 0) return [];
  const { passages, marks } = choosePassages(text, spans, { maxPassages: budget.match.windows, ...choice, weights });
  return passages.map((passage) => createWindow(text, passage, marks));
}

/** The clauses that a text has anywhere, a bit for each. */
export const findClausesIn = (text: string, { query, also }: MatchQuery): number =>
  findSpans(text, query, undefined, also).reduce((set, { clause }) => unite(set, 2 ** clause), 0);

function createWindow(text: string, passage: Passage, marks: readonly Mark[]): MatchWindow {
  const preview = text.slice(passage.start, passage.end);
  const [start, length] = [toCharIndex(text, passage.start), countChars(preview)];
  const shown = marks.filter((mark) => overlaps(mark, passage));
  const matches = shown.map((mark) => {
    const before =
      countChars(text.slice(mark.start, passage.start)) - countChars(text.slice(passage.start, mark.start));
    return { start: start - before, end: start - before + countChars(text.slice(mark.start, mark.end)) };
  });
  const inPreview = matches.map((match) => ({
    start: Math.max(0, match.start - start),
    end: Math.min(length, match.end - start),
  }));
  const dots = [passage.start > 0 ? "…" : "", passage.end < text.length ? "…" : ""] as const;
  return {
    start,
    end: start + length,
    preview,
    marked: `${dots[0]}${highlightRanges(preview, inPreview)}${dots[1]}`,
    matches,
    marks: inPreview,
    clauses: findClauses(marks, passage),
    readFrom: findReadStart(text, shown[0]?.start ?? passage.start, matches[0]?.start ?? start),
  };
}

/** `unit` and `char` are the same place. */
function findReadStart(text: string, unit: number, char: number): number {
  const { beforeChars } = budget.window;
  // A character has two units at the most, and the one before the limit may be part of a cluster.
  const first = Math.max(0, unit - 2 * beforeChars - clusterMargin);
  return cutWindowTo(text.slice(first, unit), char, beforeChars).start;
}

const fitsOneWindow = (chars: number): boolean => chars <= budget.window.toolChars;

/** What a search hit shows of a field, with the read that shows the match with more around it. */
export function matchEvidence(
  place: RecordPlace,
  fieldPath: string,
  total: number,
  window: MatchWindow,
): MatchEvidence {
  const truncated = window.end - window.start < total;
  return {
    field_path: fieldPath,
    preview: window.preview,
    match: window.matches.map((match) => ({ start_chars: match.start, end_chars: match.end })),
    window: { start_chars: window.start, end_chars: window.end, total_chars: total },
    truncated,
    // A read of what is shown already would gain nothing; the record around it may.
    read: truncated ? readFieldFrom(place, fieldPath, fitsOneWindow(total) ? 0 : window.readFrom) : fetchRecord(place),
  };
}
