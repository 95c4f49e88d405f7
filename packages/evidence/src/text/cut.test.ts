import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findEndWithin, findStartWithin } from "./cut.ts";

const marksOnly = `e${"\u0301".repeat(200)}`;

describe("[LAD-2] a passage ends", () => {
  it.each<[string, string, number, string]>([
    ["between words, without the space", "one two three", 9, "one two"],
    ["at the end of a word", "one two three", 7, "one two"],
    ["not inside a word with an apostrophe", "we don't know", 6, "we"],
    ["with the text", "one two", 99, "one two"],
    ["without an opening bracket of hidden text", "one two (three)", 9, "one two"],
    ["with an opening bracket if there is nothing else", "(three)", 1, "("],
    ["not inside an amount", "it cost 12.50 EUR", 10, "it cost"],
    ["not inside an amount, after its decimal point", "it cost 12.50 EUR", 11, "it cost"],
    ["between characters of a script without spaces", "東京都庁に", 3, "東京都"],
    ["inside a word that is too long", "abcdefghij", 4, "abcd"],
    ["inside such a word after a space", " abcdefghij", 4, " abc"],
    ["not inside a cluster", "ab👩‍👩‍👧‍👦", 5, "ab"],
    ["not inside a cluster, if it is too long for words", "a👩‍👩‍👧‍👦b", 5, "a"],
    ["inside a cluster that is too long", marksOnly, 50, marksOnly.slice(0, 50)],
    ["never inside a character", "👩‍👩‍👧‍👦", 4, "👩‍"],
    ["immediately if there is no space", "one", 0, ""],
  ])("%s", (_, text, unit, shown) => expect(text.slice(0, findEndWithin(text, 0, unit))).toBe(shown));
});

describe("[LAD-2] a passage starts", () => {
  it.each<[string, string, number, string]>([
    ["between words, without the space", "one two three", 5, "three"],
    ["at the start of a word", "one two three", 4, "two three"],
    ["with the text", "one two", -3, "one two"],
    ["without the end of the previous sentence", "one. Two three", 3, "Two three"],
    ["with such punctuation if there is nothing else", "one...", 3, "..."],
    ["not inside an amount", "for 12.50 EUR", 6, "EUR"],
    ["inside a word that is too long", "abcdefghij", 6, "ghij"],
    ["inside such a word before a space", "abcdefghij ", 7, "hij "],
    ["not inside a cluster", "👩‍👩‍👧‍👦ab", 5, "ab"],
    ["not inside a cluster, if it is too long for words", "a👩‍👩‍👧‍👦b ", 5, "b "],
    ["inside a cluster that is too long", marksOnly, 50, marksOnly.slice(50)],
    ["never inside a character", "👩‍👩‍👧‍👦", 4, "‍👧‍👦"],
    ["immediately if there is no space", "one", 3, ""],
  ])("%s", (_, text, unit, shown) => expect(text.slice(findStartWithin(text, unit, text.length))).toBe(shown));
});

it("[WIN-3] never splits a character or exceeds its bounds", () => {
  const anyText = fc
    .array(
      fc.oneof(
        fc.string({ unit: "grapheme" }),
        fc.constantFrom(" ", "👩‍👩‍👧‍👦", "́".repeat(70), "🇩🇪🇫🇷", "a".repeat(30)),
      ),
    )
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(anyText, fc.nat(200), fc.nat(200), (text, a, b) => {
      const [low, high] = [Math.min(a, b, text.length), Math.min(Math.max(a, b), text.length)];
      fc.pre([low, high].every((unit) => text.slice(0, unit).isWellFormed()));
      const [end, start] = [findEndWithin(text, low, high), findStartWithin(text, low, high)];
      expect(text.slice(low, end).isWellFormed() && text.slice(start, high).isWellFormed()).toBe(true);
      expect(end >= low && end <= high && start >= low && start <= high).toBe(true);
    }),
    { numRuns: 3000 },
  );
});
