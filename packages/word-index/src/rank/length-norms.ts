import type { Segment, Source } from "../ports.ts";
import type { PostingList } from "../query/posting-lists.ts";
import { decodedLengths } from "../segment/field-length.ts";

/** By field: what one occurrence counts for each encoded length. An occurrence in a long text counts less. */
export type LengthNorms = ReadonlyMap<number, Float64Array>;

/** The norms of whole segments stay the same until the segments change. */
const normCache = new WeakMap<readonly Segment[], Map<string, Float64Array>>();

export function computeLengthNorms(
  { visibility, fields, boosts, segments }: Source,
  lists: readonly PostingList[],
  isMatch: (doc: number) => boolean,
): LengthNorms {
  const { isComplete } = visibility;
  const cached = (isComplete && normCache.get(segments)) || new Map<string, Float64Array>();
  if (isComplete) normCache.set(segments, cached);
  const norms = new Map<number, Float64Array>();
  for (const field of fields) {
    const boost = boosts[field] ?? 1;
    const key = `${field} ${boost}`;
    const norm =
      cached.get(key) ??
      computeNorm(boost, isComplete ? averageLength(segments, field) : averageMatchLength(lists, field, isMatch));
    cached.set(key, norm);
    norms.set(field, norm);
  }
  return norms;
}

/** BM25's length normalization with field boosts. `b` and the expected length depend on the average length. */
function computeNorm(boost: number, average: number): Float64Array {
  const b = chooseB(average);
  const expected = computeExpectedLength(average);
  return decodedLengths.map((length) => boost / (1 - b + b * (expected > 0 ? length / expected : 1)));
}

/** Texts of up to this many words are short. */
const shortLength = 40;

/** `b` by average length, interpolated in between. */
const steps = {
  short: { length: shortLength, b: 0.35 },
  middle: { length: 120, b: 0.8 },
  long: { length: 300, b: 0.95 },
};

/** Among short texts, length says little. Among long ones, it says how much else a text is about. */
function chooseB(average: number): number {
  const { short, middle, long } = steps;
  const [below, above] = average < middle.length ? [short, middle] : [middle, long];
  const share = (average - below.length) / (above.length - below.length);
  return below.b + (above.b - below.b) * Math.min(1, Math.max(0, share));
}

/**
 * The length at which an occurrence counts once. Long streams are also compared with short texts: otherwise a long text in a
 * stream of long texts would count as much as a short note in another stream.
 */
const computeExpectedLength = (average: number): number => Math.sqrt(average * Math.min(average, shortLength));

function averageLength(segments: readonly Segment[], field: number): number {
  let [words, docs] = [0, 0];
  for (const { fieldLengths, docCount } of segments) {
    words += fieldLengths[field] ?? 0;
    docs += docCount;
  }
  return words / Math.max(1, docs);
}

/** Where documents or fields are hidden, only the matches may be counted. */
function averageMatchLength(lists: readonly PostingList[], field: number, isMatch: (doc: number) => boolean): number {
  const lengths = new Map<number, number>();
  for (const list of lists) {
    if (list.field !== field) continue;
    for (let i = 0; i < list.docs.length; i += 1) {
      const doc = list.docs[i] ?? 0;
      if (isMatch(doc) && list.segment.tombstones?.has(doc) !== true)
        lengths.set(doc, decodedLengths[list.lengths[i] ?? 0] ?? 0);
    }
  }
  let words = 0;
  for (const length of lengths.values()) words += length;
  return words / Math.max(1, lengths.size);
}
