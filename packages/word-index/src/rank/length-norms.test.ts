import { expect, it } from "vitest";
import type { Source } from "../ports.ts";
import { encodeLength } from "../segment/field-length.ts";
import { emptySize } from "../segment/layout.ts";
import { computeLengthNorms } from "./length-norms.ts";

/** How much less an occurrence counts in a text of twice the average length than in one of half of it. */
function computeLoss(average: number): number {
  const docCount = 100;
  const source: Source = {
    segments: [
      { no: 1, firstDoc: 1, docCount, fieldLengths: [average * docCount], size: emptySize, tombstones: undefined },
    ],
    fields: [0],
    boosts: [1],
    visibility: { isFiltered: false, isComplete: true, findVisible: async (docs) => new Set(docs) },
  };
  const norm = computeLengthNorms(source, [], () => true).get(0)!;
  return norm[encodeLength(average / 2)]! / norm[encodeLength(average * 2)]!;
}

it("[SRCH-31] lets length count more the longer the texts of a stream are on average", () => {
  const losses = [40, 80, 120, 200, 300].map(computeLoss);
  expect(losses.toSorted((a, b) => a - b)).toEqual(losses);
  expect(computeLoss(10)).toBeCloseTo(computeLoss(40), 1);
  // With b = 0.35: (0.65 + 0.35 * 2) / (0.65 + 0.35 / 2).
  expect(losses[0]).toBeCloseTo(1.636, 2);
});
