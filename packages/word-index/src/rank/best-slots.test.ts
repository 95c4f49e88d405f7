import { expect, it } from "vitest";
import { selectBestSlots } from "./best-slots.ts";

it("[SRCH-27] selects the best scores, and newer documents among equal ones", () => {
  const scores = Float64Array.from({ length: 5000 }, (_, slot) => (slot * 7919) % 101);
  const docs = Array.from(scores, (_, slot) => (slot * 31) % 5000);
  const sorted = Array.from(scores, (_, slot) => slot)
    .filter((slot) => scores[slot]! > 0)
    .sort((a, b) => scores[b]! - scores[a]! || docs[b]! - docs[a]!);
  for (const max of [1, 2, 7, 300, 4999]) expect(selectBestSlots(docs, scores, max)).toEqual(sorted.slice(0, max));
  expect(selectBestSlots(docs, scores, 10_000)).toEqual(sorted);
});
