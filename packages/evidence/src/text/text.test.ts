import { expect, it } from "vitest";
import { findClusterEnd, findClusterStart, toCharIndex, toUnitIndex } from "./text.ts";

const family = "👩‍👩‍👧‍👦";

it("[WIN-3] finds the cluster at an index", () => {
  const text = `ab${family}c`;
  expect(findClusterStart(text, 4)).toBe(2);
  expect(findClusterEnd(text, 4)).toBe(2 + family.length);
  expect([findClusterStart(text, 1), findClusterEnd(text, 1)]).toEqual([1, 1]);
  expect([findClusterStart(text, 99), findClusterEnd(text, 99)]).toEqual([text.length, text.length]);
  expect([findClusterStart(text, -1), findClusterEnd(text, -1)]).toEqual([-1, -1]);
  expect([findClusterStart("", 0), findClusterEnd("", 0)]).toEqual([0, 0]);
});

it("[WIN-3] counts lone surrogates as characters", () => {
  expect(toUnitIndex("\ud800a👍\ud83d", 3)).toBe(4);
  expect(toUnitIndex("\ud800a👍\ud83d", 9)).toBe(5);
  expect(toCharIndex("👍👍a", 4)).toBe(2);
});
