import type { MatchEvidence } from "@pdpp/contract/wire";
import { findMarks } from "@pdpp/evidence/passages/marks";
import { countChars, sliceChars } from "@pdpp/evidence/text/text";

/** Where "Continue reading" opens a text: at the sentence of the first match, with the matches marked. */

const maxMarks = 20;
const sentenceEnd = /(?:[.!?…。！？]["'”’»)\]]*\s+|[。！？]|\n\s*)/g;

export function findReadingPlace(passage: MatchEvidence): { readonly offset: number; readonly marks: string[] } {
  const start = passage.window?.start_chars ?? 0;
  const [first] = findMarks(passage);
  const before = sliceChars(passage.preview, 0, first?.start ?? 0);
  const ends = [...before.matchAll(sentenceEnd)].map(({ index, 0: end }) => index + end.length);
  return {
    offset: start + countChars(before.slice(0, ends.at(-1) ?? 0)),
    marks: passage.match.slice(0, maxMarks).map(({ start_chars, end_chars }) => `${start_chars}-${end_chars}`),
  };
}
