import type { MatchEvidence } from "@pdpp/contract/wire";
import { sliceChars } from "./text.ts";

/** Highlights as tags in plain text. Tags that the text itself has are broken, so that ours are the only ones and balanced. */

export const openTag = "<mark>";
export const closeTag = "</mark>";

const foreignTag = /<(?=\/?mark\b)/gi;
const plain = (text: string): string => text.replace(foreignTag, "‹");

/** The text with tags around ranges of its characters, which are in order and do not overlap. */
export function marked(text: string, ranges: readonly { readonly start: number; readonly end: number }[]): string {
  let out = "";
  let at = 0;
  for (const { start, end } of ranges) {
    out += `${plain(sliceChars(text, at, start))}${openTag}${plain(sliceChars(text, start, end))}${closeTag}`;
    at = end;
  }
  return out + plain(sliceChars(text, at, text.length));
}

/** The matched words of a passage, in characters of its preview, in order and without overlaps. */
export function marksIn({ preview, match, window }: Passage): { readonly start: number; readonly end: number }[] {
  const first = window?.start_chars ?? 0;
  const marks: { start: number; end: number }[] = [];
  for (const { start_chars, end_chars } of match) {
    const [start, end] = [Math.max(0, start_chars - first), Math.min(preview.length, end_chars - first)];
    if (start >= (marks.at(-1)?.end ?? 0) && start < end) marks.push({ start, end });
  }
  return marks;
}

type Passage = Pick<MatchEvidence, "preview" | "match" | "window">;

/** A passage with its matched words between asterisks; between tags if it has such asterisks of its own, which would pass for ours. */
export function emphasised(passage: Passage): string {
  const { preview } = passage;
  const marks = marksIn(passage);
  if (preview.includes("**")) return marked(preview, marks);
  let out = "";
  let at = 0;
  for (const { start, end } of marks) {
    out += `${sliceChars(preview, at, start)}**${sliceChars(preview, start, end)}**`;
    at = end;
  }
  return out + sliceChars(preview, at, preview.length);
}
