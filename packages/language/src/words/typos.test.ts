import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isTypo, isTypoOrPluralTypo, listEarlyTypos, typoPrefixLength } from "./typos.ts";

describe("[SRCH-10] one typo", () => {
  it.each<[string, string, string, boolean]>([
    ["a letter missing", "plumer", "plumber", true],
    ["a letter too many", "plumbber", "plumber", true],
    ["another letter", "plunber", "plumber", true],
    ["two swapped", "encrpytion", "encryption", true],
    ["at the end", "radiatr", "radiator", true],
    ["does not cover two changed letters", "radiatr", "radiators", false],
    ["does not cover changes in two places", "aadiatoo", "radiator", false],
    ["does not cover short words", "war", "was", false],
    ["does not cover numbers", "12345", "12346", false],
    ["does not cover identical words", "plumber", "plumber", false],
  ])("%s", (_, word, form, expected) => expect(isTypo(word, form)).toBe(expected));

  it("may be in the singular of an indexed plural", () => {
    expect(isTypoOrPluralTypo("radiatr", "radiators")).toBe(true);
    expect(isTypoOrPluralTypo("rechnug", "rechnungen")).toBe(true);
    expect(isTypoOrPluralTypo("plumer", "plumber")).toBe(true);
    expect(isTypoOrPluralTypo("bots", "botanes")).toBe(false);
    expect(isTypoOrPluralTypo("radiatr", "radiations")).toBe(false);
  });

  it("is symmetric", () => {
    const word = fc.stringMatching(/^[abc]{4,7}$/);
    fc.assert(
      fc.property(word, word, (one, other) => {
        expect(isTypo(one, other)).toBe(isTypo(other, one));
      }),
      { numRuns: chooseRuns(1000, 10_000) },
    );
  });

  it("is early, or the words share a prefix", () => {
    const word = fc.stringMatching(/^[abc]{4,7}$/);
    fc.assert(
      fc.property(word, word, (one, other) => {
        const early = listEarlyTypos(one);
        for (const each of early) expect(isTypo(one, each)).toBe(true);
        if (isTypo(one, other) && !early.includes(other)) {
          expect(other.slice(0, typoPrefixLength)).toBe(one.slice(0, typoPrefixLength));
        }
      }),
      { numRuns: chooseRuns(1000, 10_000) },
    );
  });

  it("is generated from letters of the word's alphabet", () => {
    expect(listEarlyTypos("встреча")).toContain("астреча");
    expect(listEarlyTypos("ספרים")).toContain("פסרים");
    expect(listEarlyTypos("war")).toEqual([]);
  });
});
