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

/** Passages of a text that match a query, with context. Offsets are in characters. */

interface CharRange {
  readonly start: number;
  readonly end: number;
}

export interface MatchWindow extends CharRange {
  /** The passage, verbatim. */
  readonly preview: string;
  /** The passage with tags around matched words and dots where it was cut. */
  readonly marked: string;
  /** Matched words, as offsets in the whole text. */
  readonly matches: readonly CharRange[];
  /** The same, as offsets in the preview. */
  readonly marks: readonly CharRange[];
  /** Bit set of the clauses the passage matches. */
  readonly clauses: number;
  /** Where to start reading for more context: between two words. */
  readonly readFrom: number;
}

export interface MatchChoice extends PassageChoice {
  readonly also?: ExtraForms | undefined;
}

/** Clauses are kept in the bits of a 32-bit number. */
const maxClauses = 32;

/** A query, the weight of each clause, and the forms accepted besides. */
export interface MatchQuery {
  readonly query: SearchQuery;
  readonly weights: readonly number[] | undefined;
  readonly also: ExtraForms | undefined;
}

/** Keeps the clauses with the greatest weight if a query has too many. */
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

/** The best passages, best first. */
export function findMatchWindows(text: string, asked: SearchQuery, choice: Partial<MatchChoice> = {}): MatchWindow[] {
  const { query, weights, also } = limitClauses({ query: asked, weights: choice.weights, also: choice.also });
  const spans = findSpans(text, query, undefined, also);
  if (spans.length === 0) return [];
  const { passages, marks } = choosePassages(text, spans, { maxPassages: budget.match.windows, ...choice, weights });
  return passages.map((passage) => createWindow(text, passage, marks));
}

/** Bit set of the clauses that match anywhere in the text. */
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

/** `unit` and `char` are the same position. */
function findReadStart(text: string, unit: number, char: number): number {
  const { beforeChars } = budget.window;
  // A character has at most two units, and the one before the limit may be part of a cluster.
  const first = Math.max(0, unit - 2 * beforeChars - clusterMargin);
  return cutWindowTo(text.slice(first, unit), char, beforeChars).start;
}

const fitsOneWindow = (chars: number): boolean => chars <= budget.window.toolChars;

/** The evidence a search hit shows for a field, with the read that shows the match in more context. */
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
    // The field is shown in full already, so lead to the whole record instead.
    read: truncated ? readFieldFrom(place, fieldPath, fitsOneWindow(total) ? 0 : window.readFrom) : fetchRecord(place),
  };
}
