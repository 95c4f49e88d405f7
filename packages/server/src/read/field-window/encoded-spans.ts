import { runMargin, runsInPart } from "@pdpp/evidence/fields/binary";
import { charIndex, charLength, unitIndex } from "@pdpp/evidence/text/text";
import type { TextSource } from "../../store/records/text-source.ts";

export interface CharSpan {
  readonly start_chars: number;
  readonly end_chars: number;
}

/** Where a text is bytes written as text. */
export interface BytesIn {
  /** The runs that overlap or touch a range, whole, in order. */
  around(start: number, end: number): Promise<readonly CharSpan[]>;
}

/** A field that is declared to hold bytes. */
export const allBytes = ({ chars }: TextSource): BytesIn => ({
  around: async () => [{ start_chars: 0, end_chars: chars }],
});

/** A run is followed so far on each side; the rest of a longer one is another run. */
const mostChars = 4 * 1024 ** 2;
const growth = 8;

/** Runs are measured, with as much of the text around them as it takes to see where they begin and end. */
export function measuredBytes(source: TextSource): BytesIn {
  let seen: { from: number; to: number; spans: readonly CharSpan[] } | undefined;
  return {
    async around(start, end) {
      if (seen === undefined || start < seen.from || end > seen.to) {
        const spans = await runsAround(source, start, end);
        seen = { from: start, to: end, spans };
      }
      return seen.spans.filter(({ start_chars: first, end_chars: last }) => first <= end && last >= start);
    },
  };
}

async function runsAround(source: TextSource, start: number, end: number): Promise<CharSpan[]> {
  for (let [back, ahead] = [runMargin, runMargin]; ; ) {
    const from = Math.max(0, start - back);
    const to = Math.min(source.chars, end + ahead);
    const part = await source.slice(from, to);
    const { runs, openUntil, openFrom } = runsInPart(part);
    const isOpenBefore = from > 0 && back < mostChars && openUntil > 0 && openUntil >= unitIndex(part, start - from);
    const isOpenBehind =
      to < source.chars && ahead < mostChars && openFrom < part.length && openFrom <= unitIndex(part, end - from);
    if (!isOpenBefore && !isOpenBehind) {
      return runs.map((run) => {
        const first = from + charIndex(part, run.start);
        return { start_chars: first, end_chars: first + charLength(part.slice(run.start, run.end)) };
      });
    }
    if (isOpenBefore) back *= growth;
    if (isOpenBehind) ahead *= growth;
  }
}

/** The first place at or behind `at` that is text, or the end. */
export async function textAfter(bytes: BytesIn, at: number): Promise<number> {
  for (let place = at; ; ) {
    const spans = await bytes.around(place, place);
    const run = spans.find(({ start_chars: first, end_chars: last }) => first <= place && last > place);
    if (run === undefined) return place;
    place = run.end_chars;
  }
}

/** The last place at or before `at` that has text right before it, or the beginning. */
export async function textBefore(bytes: BytesIn, at: number): Promise<number> {
  for (let place = at; ; ) {
    const spans = await bytes.around(place, place);
    const run = spans.find(({ start_chars: first, end_chars: last }) => first < place && last >= place);
    if (run === undefined) return place;
    place = run.start_chars;
  }
}
