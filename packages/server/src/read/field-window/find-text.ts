import { setImmediate as nextTurn } from "node:timers/promises";
import { encodedRuns } from "@pdpp/evidence/fields/binary";
import { spansOf } from "@pdpp/evidence/passages/spans";
import { charLength } from "@pdpp/evidence/text/text";
import { parseQuery, type SearchQuery } from "@pdpp/language/query/query";
import { likelyParts } from "./likely-text.ts";

/**
 * Where a query is found in a text that comes in pieces, so that it need not be held. In this order: its words one behind the
 * other; all of them near each other, then anywhere; the query as it is written, inside a word if need be.
 */

export interface FoundRange {
  /** In characters of the whole text. */
  readonly start: number;
  readonly end: number;
}

/** Words this far apart, in characters, still stand together. */
const reach = 1200;
/** So much of a piece is looked at again with the next one. In UTF-16 units; more than a query can have. */
const overlapUnits = 16_384;

export async function findText(pieces: AsyncIterable<string>, q: string): Promise<FoundRange | null> {
  const finder = finderOf(q);
  let held = "";
  let base = 0;
  for await (const piece of pieces) {
    const text = withoutBytes(held + piece);
    const cut = cutOf(text);
    if (cut === 0) {
      held = text;
      continue;
    }
    const found = finder.look(text, base, cut);
    if (found !== null) return found;
    base += charLength(text.slice(0, cut));
    held = text.slice(cut);
    await nextTurn();
  }
  return finder.look(held, base, held.length) ?? finder.best();
}

/** Bytes written as text hold no words; spaces stand in their place. */
const withoutBytes = (text: string): string =>
  encodedRuns(text).reduce(
    (rest, { start, end }) => rest.slice(0, start) + " ".repeat(end - start) + rest.slice(end),
    text,
  );

/** Where the part ends that is done with: at white space, which is in no word, if there is any. */
function cutOf(text: string): number {
  const from = text.length - overlapUnits;
  if (from <= 0) return 0;
  const space = text.slice(from, from + overlapUnits / 2).search(/\s/);
  if (space >= 0) return from + space;
  const code = text.charCodeAt(from);
  return code >= 0xdc00 && code <= 0xdfff ? from + 1 : from;
}

interface Finder {
  /** Looks for what begins before `cut`; answers when nothing better can come. */
  look(text: string, base: number, cut: number): FoundRange | null;
  best(): FoundRange | null;
}

function finderOf(q: string): Finder {
  const asked = parseQuery(q);
  const { wanted } = asked;
  const phrase = parseQuery(`"${q.replace(/["“”„«»「」『』]/g, " ")}"`).wanted;
  // One word is found in any of its forms; of several, those as they are asked for come first.
  const several = phrase.some((clause) => clause.kind === "phrase" && clause.forms.length > 1);
  const query: SearchQuery = several ? { ...asked, wanted: [...wanted, ...phrase] } : asked;
  const passages = passagesOf(wanted.length, asked.isQuestion);
  const written = new RegExp(RegExp.escape(q), "iu");
  let literal: FoundRange | null = null;
  return {
    look(text, base, cut) {
      let [unit, char] = [0, base];
      for (const part of likelyParts(text, query)) {
        for (const span of spansOf(text.slice(part.start, part.end), query, Number.POSITIVE_INFINITY)) {
          const start = part.start + span.start;
          if (start >= cut) break;
          char += charLength(text.slice(unit, start));
          unit = start;
          const range = { start: char, end: char + charLength(text.slice(start, part.start + span.end)) };
          if (!several || span.clause >= wanted.length) return range;
          passages.add(range, span.clause);
        }
      }
      const match = literal === null ? written.exec(text) : null;
      if (match !== null && match.index < cut) {
        const start = base + charLength(text.slice(0, match.index));
        literal = { start, end: start + charLength(match[0]) };
      }
      return null;
    },
    best: () => passages.best() ?? literal,
  };
}

/** The first of the passages that have the most of the clauses. Unless it is a question, each clause must be somewhere. */
function passagesOf(
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
      while (range.end - near[0]!.start > reach && near.length > 1) dropFirst();
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
