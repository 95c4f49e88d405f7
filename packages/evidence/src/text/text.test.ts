import { expect, it } from "vitest";
import { charIndex, clusterEnd, clusterStart, unitIndex } from "./text.ts";

const family = "👩‍👩‍👧‍👦";

it("[WIN-3] finds the cluster that a place is in", () => {
  const text = `ab${family}c`;
  expect(clusterStart(text, 4)).toBe(2);
  expect(clusterEnd(text, 4)).toBe(2 + family.length);
  expect([clusterStart(text, 1), clusterEnd(text, 1)]).toEqual([1, 1]);
  expect([clusterStart(text, 99), clusterEnd(text, 99)]).toEqual([text.length, text.length]);
  expect([clusterStart(text, -1), clusterEnd(text, -1)]).toEqual([-1, -1]);
  expect([clusterStart("", 0), clusterEnd("", 0)]).toEqual([0, 0]);
});

it("[WIN-3] counts lone halves of characters as characters", () => {
  expect(unitIndex("\ud800a👍\ud83d", 3)).toBe(4);
  expect(unitIndex("\ud800a👍\ud83d", 9)).toBe(5);
  expect(charIndex("👍👍a", 4)).toBe(2);
});
