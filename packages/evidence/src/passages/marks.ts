import type { MatchEvidence } from "@pdpp/contract/wire";
import { sliceChars } from "../text/text.ts";

/** Highlights as `<mark>` tags in plain text, the same on every surface. */

export const openTag = "<mark>";
export const closeTag = "</mark>";

interface CharRange {
  readonly start: number;
  readonly end: number;
}
type Passage = Pick<MatchEvidence, "preview" | "match" | "window">;

const literalTag = /<\/?mark\b/i;

/**
 * Puts tags around ranges of characters, which are in order and do not overlap. A text that contains such tags itself is
 * returned unchanged: readers could not tell its tags from ours, and escaping them would alter the record's text.
 */
export function highlightRanges(text: string, ranges: readonly CharRange[]): string {
  if (literalTag.test(text)) return text;
  let out = "";
  let at = 0;
  for (const { start, end } of ranges) {
    out += `${sliceChars(text, at, start)}${openTag}${sliceChars(text, start, end)}${closeTag}`;
    at = end;
  }
  return out + sliceChars(text, at, text.length);
}

/** The matches of a passage as offsets in its preview, in order and without overlaps. */
export function findMarks({ preview, match, window }: Passage): CharRange[] {
  const first = window?.start_chars ?? 0;
  const marks: CharRange[] = [];
  for (const { start_chars, end_chars } of match) {
    const [start, end] = [Math.max(0, start_chars - first), Math.min(preview.length, end_chars - first)];
    if (start >= (marks.at(-1)?.end ?? 0) && start < end) marks.push({ start, end });
  }
  return marks;
}

export const highlightMatches = (passage: Passage): string => highlightRanges(passage.preview, findMarks(passage));
