import { type FieldNumbers, zeros } from "./search-index.ts";

/** BM25 over the fields of records, in plain arrays: it runs over thousands of records for a common word. */

const saturation = 1.2;
const lengthWeight = 0.75;
const mostOccurrences = 100;

export interface Scores {
  /** Counts a word in: how often it occurs in each record, and in how many of all records. */
  add(frequencies: FieldNumbers, count: number, total: number): void;
  scoreAt(place: number): number;
  /** How many of the words the record has. */
  matchedAt(place: number): number;
}

/** How much it tells that a record has something that `count` of `total` records have. */
export const rarityOf = (count: number, total: number): number =>
  Math.max(Math.log(1 + (total - count + 0.5) / (count + 0.5)), 0.01);

export function scorer(records: {
  /** The fields that count, out of `width`. */
  readonly fields: readonly number[];
  readonly width: number;
  readonly weights: readonly number[];
  readonly lengths: FieldNumbers;
  readonly usual: readonly number[];
}): Scores {
  const { fields, width, weights, lengths, usual } = records;
  const size = lengths.length / width;
  const scores = zeros(size);
  const matched = zeros(size);
  return {
    add(frequencies, count, total) {
      const rarity = rarityOf(count, total);
      for (let place = 0; place < size; place += 1) {
        let density = 0;
        for (const field of fields) {
          const frequency = frequencies[place * width + field] ?? 0;
          if (frequency === 0) continue;
          const average = usual[field] ?? 0;
          const relative = average > 0 ? (lengths[place * width + field] ?? 0) / average : 1;
          density +=
            ((weights[field] ?? 1) * Math.min(frequency, mostOccurrences)) /
            (1 - lengthWeight + lengthWeight * relative);
        }
        if (density === 0) continue;
        scores[place] = (scores[place] ?? 0) + (rarity * density * (saturation + 1)) / (density + saturation);
        matched[place] = (matched[place] ?? 0) + 1;
      }
    },
    scoreAt: (place) => rounded(scores[place] ?? 0),
    matchedAt: (place) => matched[place] ?? 0,
  };
}

/** Scores that differ by less are equal, and the newer record comes first. */
const rounded = (score: number): number => Math.round(score * 1e6) / 1e6;
