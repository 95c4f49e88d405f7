import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../../../tests/support/long-runs.ts";
import { fold, isUnspaced, maxFormLength, stemOf, wordsOf } from "./words.ts";

const forms = (text: string) => wordsOf(text).map(({ form }) => form);

describe("[SRCH-10] the words of a text", () => {
  it.each<[string, string, string[]]>([
    ["plain ones", "Old bridge, 2nd try!", ["old", "bridge", "2nd", "try"]],
    [
      "with apostrophes inside",
      "don't Ada's 'quoted' rock'n'roll l’été Ada’s",
      ["dont", "ada", "quoted", "rocknroll", "lete", "ada"],
    ],
    [
      "with accents, composed or not",
      "Café cafe\u0301 Straße Ærø ŁÓDŹ İstanbul",
      ["cafe", "cafe", "strasse", "aero", "lodz", "istanbul"],
    ],
    ["of other alphabets", "Привет שָׁלוֹם مَرحبا γειά", ["привет", "שלום", "مرحبا", "γεια"]],
    ["of scripts without spaces, in pairs", "東京都 ไทย", ["東京", "京都", "都", "ไท", "ทย", "ย"]],
    ["of mixed scripts", "iPhone手机15", ["iphone", "手机", "机", "15"]],
    ["pictures, whole", "hi 👩‍👩‍👧 ok 👍🏽 🇩🇪", ["hi", "👩👩👧", "ok", "👍", "🇩🇪"]],
    ["none", " .,-!? … \u{1d173} '", []],
    ["none of marks alone", "'s ﹅", ["s"]],
  ])("%s", (_, text, expected) => expect(forms(text)).toEqual(expected));

  it("stand where they say, in order", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
        let last = 0;
        for (const { form, start, end } of wordsOf(text)) {
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(start);
          expect(form).not.toBe("");
          last = start;
        }
      }),
      { numRuns: cases(1000, 10_000) },
    );
  });

  it("are cut when they are too long", () => {
    expect(forms("a".repeat(100))[0]).toHaveLength(maxFormLength);
    expect(fold("a".repeat(100))).toHaveLength(maxFormLength);
    expect(fold("é".repeat(100))).toHaveLength(maxFormLength);
    expect(forms(`${"'a".repeat(100)}`)[0]).toHaveLength(maxFormLength);
  });

  it("leave out what folds to nothing", () => {
    expect(forms("'s")).toEqual(["s"]);
    expect(forms("\u3164 x")).toContain("x");
  });
});

describe("[SRCH-10] stems", () => {
  it.each([
    ["bridges", "bridg"],
    ["bridge", "bridg"],
    ["running", "run"],
    ["it", "it"],
    ["2nds", "2nds"],
    ["straße", "straße"],
  ])("%s is %s", (form, stem) => expect(stemOf(form)).toBe(stem));

  it("keep the first letter, which spans rely on", () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-z]{1,12}$/),
        fc.constantFrom("", "s", "ies", "ed", "ing", "ational", "y", "eed", "sses"),
        (word, ending) => {
          expect(stemOf(word + ending)[0]).toBe(word[0]);
        },
      ),
      { numRuns: cases(1000, 10_000) },
    );
  });
});

it("knows scripts without spaces", () => {
  expect(isUnspaced("東")).toBe(true);
  expect(isUnspaced("east")).toBe(false);
});
