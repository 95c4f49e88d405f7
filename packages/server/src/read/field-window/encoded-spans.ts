import { findRunsInPart, runMargin } from "@pdpp/evidence/fields/binary";
import { countChars, toCharIndex, toUnitIndex } from "@pdpp/evidence/text/text";
import type { TextSource } from "../../store/records/text-source.ts";

export interface CharSpan {
  readonly start_chars: number;
  readonly end_chars: number;
}

/** Finds encoded bytes, such as base64, in a text. */
export interface EncodedSpans {
  /** The complete runs that overlap or touch a range, in order. */
  around(start: number, end: number): Promise<readonly CharSpan[]>;
}

/** For a field declared to hold bytes. */
export const treatAllAsBytes = ({ chars }: TextSource): EncodedSpans => ({
  around: async () => [{ start_chars: 0, end_chars: chars }],
});

/** A run is measured this far on each side; the rest of a longer one counts as another run. */
const maxRunChars = 4 * 1024 ** 2;
const growth = 8;

export function detectBytes(source: TextSource): EncodedSpans {
  let seen: { from: number; to: number; spans: readonly CharSpan[] } | undefined;
  return {
    async around(start, end) {
      if (seen === undefined || start < seen.from || end > seen.to) {
        const spans = await findRuns(source, start, end);
        seen = { from: start, to: end, spans };
      }
      return seen.spans.filter(({ start_chars: first, end_chars: last }) => first <= end && last >= start);
    },
  };
}

async function findRuns(source: TextSource, start: number, end: number): Promise<CharSpan[]> {
  for (let [back, ahead] = [runMargin, runMargin]; ; ) {
    const from = Math.max(0, start - back);
    const to = Math.min(source.chars, end + ahead);
    const part = await source.slice(from, to);
    const { runs, openUntil, openFrom } = findRunsInPart(part);
    const isOpenBefore =
      from > 0 && back < maxRunChars && openUntil > 0 && openUntil >= toUnitIndex(part, start - from);
    const isOpenBehind =
      to < source.chars && ahead < maxRunChars && openFrom < part.length && openFrom <= toUnitIndex(part, end - from);
    if (!isOpenBefore && !isOpenBehind) {
      return runs.map((run) => {
        const first = from + toCharIndex(part, run.start);
        return { start_chars: first, end_chars: first + countChars(part.slice(run.start, run.end)) };
      });
    }
    if (isOpenBefore) back *= growth;
    if (isOpenBehind) ahead *= growth;
  }
}

/** The first position at or after `at` that is text, or the end. */
export async function findTextAfter(bytes: EncodedSpans, at: number): Promise<number> {
  for (let place = at; ; ) {
    const spans = await bytes.around(place, place);
    const run = spans.find(({ start_chars: first, end_chars: last }) => first <= place && last > place);
    if (run === undefined) return place;
    place = run.end_chars;
  }
}

/** The last position at or before `at` that follows text, or the start. */
export async function findTextBefore(bytes: EncodedSpans, at: number): Promise<number> {
  for (let place = at; ; ) {
    const spans = await bytes.around(place, place);
    const run = spans.find(({ start_chars: first, end_chars: last }) => first < place && last >= place);
    if (run === undefined) return place;
    place = run.start_chars;
  }
}
