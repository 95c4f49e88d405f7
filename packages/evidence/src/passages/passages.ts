import { findEncodedRuns } from "../fields/binary.ts";
import { budget } from "../sizes/budget.ts";
import { chooseEnd, chooseStart, findEndWithin, findStartWithin } from "../text/cut.ts";
import { countChars } from "../text/text.ts";
import { closeTag, openTag } from "./marks.ts";
import type { Span } from "./spans.ts";

/** Chooses the passages of a text that show best what matched. All offsets are UTF-16 units. */

export interface Passage {
  readonly start: number;
  readonly end: number;
}
export interface Mark extends Passage {
  /** Bit set of the clauses it matches. */
  readonly clauses: number;
}

export interface PassageChoice {
  readonly maxPassages: number;
  /** Clauses that need not be shown again. */
  readonly shown?: number;
  /** The weight of each clause; defaults to 1. */
  readonly weights?: readonly number[] | undefined;
}

const tagCost = openTag.length + closeTag.length;
/** Leaves space for two ellipses. */
const maxCost = budget.match.previewChars - 2;

export const overlaps = (a: Passage, b: Passage): boolean => a.start < b.end && b.start < a.end;
export const unite = (a: number, b: number): number => (a | b) >>> 0;
/** The total weight of a bit set of clauses. */
export function sumWeights(clauses: number, weights?: readonly number[]): number {
  let worth = 0;
  for (let clause = 0, rest = clauses; rest !== 0; clause += 1, rest >>>= 1)
    if ((rest & 1) === 1) worth += weights?.[clause] ?? 1;
  return worth;
}
export const findClauses = (marks: readonly Mark[], passage: Passage): number =>
  marks.filter((mark) => overlaps(mark, passage)).reduce((set, mark) => unite(set, mark.clauses), 0);
export const subtract = (clauses: number, shown: number): number => (clauses & ~shown) >>> 0;

/**
 * Chooses the earliest passage with the greatest weight of clauses that are not `shown` yet, then others that add to it. Matches
 * in encoded bytes do not count, and no passage extends into encoded bytes.
 */
export function choosePassages(
  text: string,
  spans: readonly Span[],
  { maxPassages: most, shown: before = 0, weights }: PassageChoice,
): { passages: Passage[]; marks: Mark[] } {
  const runs = findEncodedRuns(text);
  const marks = mergeSpans(text, spans).filter((mark) => findSpace(text, runs, mark) !== null);
  const passages: Passage[] = [];
  let shown = before;
  while (passages.length < most) {
    const found = findBestCore(
      text,
      marks,
      (mark) => findSpace(text, runs, mark, passages),
      (clauses) => sumWeights(subtract(clauses, shown), weights),
    );
    if (found === null) break;
    const passage = widen(text, found.core, found.room, marks);
    passages.push(passage);
    shown = unite(shown, findClauses(marks, passage));
  }
  return { passages, marks };
}

/** Punctuation that joins the parts of an identifier or compound. */
const joiner = /^[^\s\p{L}\p{N}\p{M}"“”„«»()[\]{}<>]{0,2}$/u;

function mergeSpans(text: string, spans: readonly Span[]): Mark[] {
  const marks: Mark[] = [];
  for (const { start, end, clause } of spans) {
    const last = marks.at(-1);
    const clauses = 2 ** clause;
    if (last === undefined || !joiner.test(text.slice(last.end, start))) marks.push({ start, end, clauses });
    else marks[marks.length - 1] = { ...last, end: Math.max(last.end, end), clauses: unite(last.clauses, clauses) };
  }
  return marks;
}

/** The text around a mark that is neither encoded bytes nor shown already; null if the mark itself is. */
function findSpace(
  text: string,
  runs: readonly Passage[],
  mark: Passage,
  shown: readonly Passage[] = [],
): Passage | null {
  const next = findFirstEndingAfter(runs, mark.start);
  const walls = [...runs.slice(Math.max(0, next - 1), next + 1), ...shown];
  let [start, end] = [0, text.length];
  for (const wall of walls) {
    if (overlaps(wall, mark)) return null;
    if (wall.end <= mark.start) start = Math.max(start, wall.end);
    else end = Math.min(end, wall.start);
  }
  return { start, end };
}

function findFirstEndingAfter(runs: readonly Passage[], unit: number): number {
  let [low, high] = [0, runs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (runs[middle]!.end <= unit) low = middle + 1;
    else high = middle;
  }
  return low;
}

function findBestCore(
  text: string,
  marks: readonly Mark[],
  roomOf: (mark: Mark) => Passage | null,
  gainOf: (clauses: number) => number,
): { core: Mark; room: Passage } | null {
  let best: { core: Mark; room: Passage } | null = null;
  let bestGain = 0;
  for (const [i, first] of marks.entries()) {
    const room = roomOf(first);
    if (room === null) continue;
    const limit = first.start + budget.match.coreChars;
    let core = first.end <= limit ? first : { ...first, end: findEndWithin(text, first.start, limit) };
    for (let j = i + 1; j < marks.length; j += 1) {
      const { end, clauses } = marks[j]!;
      if (end > room.end || end + tagCost * (j - i + 1) > limit) break;
      if (subtract(clauses, core.clauses) > 0) core = { ...core, end, clauses: unite(core.clauses, clauses) };
    }
    const gain = gainOf(core.clauses);
    if (gain > bestGain) [best, bestGain] = [{ core, room }, gain];
  }
  return best;
}

/** Adds context on both sides, half of the space each; space that one side does not need goes to the other. */
function widen(text: string, core: Passage, room: Passage, marks: readonly Mark[]): Passage {
  const near = marks.filter((mark) => overlaps(mark, { start: core.start - maxCost, end: core.end + maxCost }));
  const costOf = (start: number, end: number): number =>
    end - start + tagCost * near.filter((mark) => overlaps(mark, { start, end })).length;
  const cutMark = (unit: number): Mark | undefined => near.find((mark) => mark.start < unit && mark.end > unit);
  const isBlank = (start: number, end: number): boolean => text.slice(start, end).trim() === "";

  const back = (most: number): number => {
    let start = Math.max(room.start, core.start - most);
    while (costOf(start, core.start) > most) start += 1;
    start = findStartWithin(text, start, core.start);
    const cut = cutMark(start);
    return cut === undefined || isBlank(cut.end, core.start) ? start : findStartWithin(text, cut.end, core.start);
  };
  const forth = (most: number): number => {
    // A match that is cut itself leaves no space for context after it.
    let end = cutMark(core.end) === undefined ? Math.min(room.end, core.end + most) : core.end;
    while (costOf(core.end, end) > most) end -= 1;
    end = findEndWithin(text, core.end, end);
    const cut = cutMark(end);
    return cut === undefined || isBlank(core.end, cut.start) ? end : findEndWithin(text, core.end, cut.start);
  };

  if (room.start === 0 && room.end === text.length && isShownWhole(text, marks)) return room;
  const space = maxCost - costOf(core.start, core.end);
  const end = forth(space - costOf(back(Math.floor(space / 2)), core.start));
  return settle(text, { start: back(space - costOf(core.end, end)), end }, core, room, marks);
}

const isShownWhole = (text: string, marks: readonly Mark[]): boolean =>
  text.length <= 2 * budget.match.wholeChars &&
  countChars(text) <= budget.match.wholeChars &&
  tagCost * marks.length <= budget.match.wholeChars;

/** Moves both ends of a passage to natural boundaries, but not into encoded bytes, a match or the core. */
function settle(text: string, passage: Passage, core: Passage, room: Passage, marks: readonly Mark[]): Passage {
  const { slackChars, giveUpChars } = budget.match;
  const isFree = (unit: number): boolean => !marks.some((mark) => mark.start < unit && mark.end > unit);
  const [afterCore, beforeCore] = [skipNextWord(text, core.end), skipPreviousWord(text, core.start)];
  const end = chooseEnd(text, {
    at: passage.end,
    shortest: Math.min(passage.end, Math.max(afterCore, passage.end - giveUpChars)),
    longest: Math.min(room.end, passage.end + slackChars),
  });
  const start = chooseStart(text, {
    at: passage.start,
    shortest: Math.max(passage.start, Math.min(beforeCore, passage.start + giveUpChars)),
    longest: Math.max(room.start, passage.start - slackChars),
  });
  return { start: isFree(start) ? start : passage.start, end: isFree(end) ? end : passage.end };
}

const skipNextWord = (text: string, unit: number): number =>
  unit + (/^\P{L}*\p{L}+/u.exec(text.slice(unit, unit + 64))?.[0].length ?? 0);
const skipPreviousWord = (text: string, unit: number): number =>
  unit - (/\p{L}+\P{L}*$/u.exec(text.slice(Math.max(0, unit - 64), unit))?.[0].length ?? 0);
