import { expect, it } from "vitest";
import { marked } from "./marks.ts";

it("[SRCH-5] tags stand around ranges of characters", () => {
  expect(
    marked("🎉 old bridge here", [
      { start: 0, end: 1 },
      { start: 6, end: 12 },
    ]),
  ).toBe("<mark>🎉</mark> old <mark>bridge</mark> here");
  expect(marked("plain", [])).toBe("plain");
});

it("[SRCH-5] tags of the text itself are broken, so that ours stay balanced", () => {
  expect(marked("a </mark> <MARK x> b <marker>", [{ start: 0, end: 1 }])).toBe(
    "<mark>a</mark> ‹/mark> ‹MARK x> b <marker>",
  );
  expect(marked("</mark>", [{ start: 2, end: 6 }])).toBe("</<mark>mark</mark>>");
});
