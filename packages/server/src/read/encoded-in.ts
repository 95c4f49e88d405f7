import { encodedRuns, runMargin } from "@pdpp/evidence/binary";
import { charIndex, charLength } from "@pdpp/evidence/text";
import type { TextSource } from "./text-source.ts";

export interface CharSpan {
  readonly start_chars: number;
  readonly end_chars: number;
}

/** Where a window has bytes written as text, seen with enough of what stands around it to tell. */
export async function encodedIn(source: TextSource, window: { start: number; end: number }): Promise<CharSpan[]> {
  const from = Math.max(0, window.start - runMargin);
  const around = await source.slice(from, window.end + runMargin);
  return encodedRuns(around)
    .map(({ start, end }) => {
      const first = from + charIndex(around, start);
      return { start_chars: first, end_chars: first + charLength(around.slice(start, end)) };
    })
    .filter(({ start_chars: first, end_chars: last }) => first < window.end && last > window.start);
}
