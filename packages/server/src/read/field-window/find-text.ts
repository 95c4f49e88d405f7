import { findEncodedRuns } from "@pdpp/evidence/fields/binary";
import { findSpans } from "@pdpp/evidence/passages/spans";
import { countChars } from "@pdpp/evidence/text/text";
import { parseQuery, type SearchQuery } from "@pdpp/language/query/query";
import { waitForLoopTurn } from "../../store/engine/yield-to-event-loop.ts";
import { findLikelyParts } from "./likely-text.ts";

/**
 * Finds a query in a text that arrives in pieces. In order of preference: its words in sequence; all of them close
 * together, then anywhere; the query verbatim, even inside a word.
 */

export interface FoundRange {
  /** In code points of the whole text. */
  readonly start: number;
  readonly end: number;
}

/** How far apart words may be, in code points, to count as close together. */
const maxPassageChars = 1200;
/** How much of a piece is searched again with the next one, in UTF-16 units; longer than any query. */
const overlapUnits = 16_384;

export async function findText(pieces: AsyncIterable<string>, q: string): Promise<FoundRange | null> {
  const finder = createFinder(q);
  let held = "";
  let base = 0;
  for await (const piece of pieces) {
    const text = blankBytes(held + piece);
    const cut = findCut(text);
    if (cut === 0) {
      held = text;
      continue;
    }
    const found = finder.look(text, base, cut);
    if (found !== null) return found;
    base += countChars(text.slice(0, cut));
    held = text.slice(cut);
    await waitForLoopTurn();
  }
  return finder.look(held, base, held.length) ?? finder.best();
}

/** Encoded bytes contain no words. */
const blankBytes = (text: string): string =>
  findEncodedRuns(text).reduce(
    (rest, { start, end }) => rest.slice(0, start) + " ".repeat(end - start) + rest.slice(end),
    text,
  );

/** Where the finished part ends: at whitespace if possible, so that no word is split. */
function findCut(text: string): number {
  const from = text.length - overlapUnits;
  if (from <= 0) return 0;
  const space = text.slice(from, from + overlapUnits / 2).search(/\s/);
  if (space >= 0) return from + space;
  const code = text.charCodeAt(from);
  return code >= 0xdc00 && code <= 0xdfff ? from + 1 : from;
}

interface Finder {
  /** Searches for matches that start before `cut`; answers once nothing better can follow. */
  look(text: string, base: number, cut: number): FoundRange | null;
  best(): FoundRange | null;
}

function createFinder(q: string): Finder {
  const asked = parseQuery(q);
  const { wanted } = asked;
  const phrase = parseQuery(`"${q.replace(/["“”„«»「」『』]/g, " ")}"`).wanted;
  // A single word matches in any inflection; of several words, exact sequences are preferred.
  const several = phrase.some((clause) => clause.kind === "phrase" && clause.forms.length > 1);
  const query: SearchQuery = several ? { ...asked, wanted: [...wanted, ...phrase] } : asked;
  const passages = createPassageCollector(wanted.length, asked.isQuestion);
  const written = new RegExp(RegExp.escape(q), "iu");
  let literal: FoundRange | null = null;
  return {
    look(text, base, cut) {
      let [unit, char] = [0, base];
      for (const part of findLikelyParts(text, query)) {
        for (const span of findSpans(text.slice(part.start, part.end), query, Number.POSITIVE_INFINITY)) {
          const start = part.start + span.start;
          if (start >= cut) break;
          char += countChars(text.slice(unit, start));
          unit = start;
          const range = { start: char, end: char + countChars(text.slice(start, part.start + span.end)) };
          if (!several || span.clause >= wanted.length) return range;
          passages.add(range, span.clause);
        }
      }
      const match = literal === null ? written.exec(text) : null;
      if (match !== null && match.index < cut) {
        const start = base + countChars(text.slice(0, match.index));
        literal = { start, end: start + countChars(match[0]) };
      }
      return null;
    },
    best: () => passages.best() ?? literal,
  };
}

/** Finds the first passage with the most clauses. Unless the query is a question, every clause must occur somewhere. */
function createPassageCollector(
  clauses: number,
  isQuestion: boolean,
): {
  add(range: FoundRange, clause: number): void;
  best(): FoundRange | null;
} {
  const near: (FoundRange & { clause: number })[] = [];
  const counts: number[] = Array.from({ length: clauses }, () => 0);
  const seen = new Set<number>();
  let best: FoundRange | null = null;
  let most = 0;
  const dropFirst = () => {
    counts[near.shift()!.clause]! -= 1;
  };
  return {
    add(range, clause) {
      near.push({ ...range, clause });
      counts[clause]! += 1;
      seen.add(clause);
      while (range.end - near[0]!.start > maxPassageChars && near.length > 1) dropFirst();
      while (counts[near[0]!.clause]! > 1) dropFirst();
      const held = counts.filter((count) => count > 0).length;
      if (held > most) {
        most = held;
        best = { start: near[0]!.start, end: Math.max(...near.map(({ end }) => end)) };
      }
    },
    best: () => (isQuestion || seen.size === clauses ? best : null),
  };
}
