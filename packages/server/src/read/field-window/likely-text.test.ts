import { findSpans } from "@pdpp/evidence/passages/spans";
import { parseQuery } from "@pdpp/language/query/query";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findLikelyParts } from "./likely-text.ts";

const words = [
  "hope",
  "hoping",
  "hoped",
  "flies",
  "fly",
  "relational",
  "relate",
  "Fluß",
  "FLUSS",
  "Café",
  "Cafe\u0301",
  "Ŕ\u030dx",
  "don't",
  "O’Brien",
  "Œuvre",
  "ﬁnal",
  "한국어",
  "한국어".normalize("NFD"),
  "東京タワー",
  "สวัสดี",
  "नमस्ते",
  "ΟΔΟΣ",
  "İstanbul",
  "ｗｉｄｅ",
  "🎉",
  "👩🏽‍🚀",
  "a1b2",
  "Ångström",
  "½",
  "x",
  "ii",
  "Привет",
  "שָׁלוֹם",
  "مُحَمَّد",
];
const word = fc.constantFrom(...words);
const filler = fc.constantFrom(" lorem ipsum ".repeat(300), " ", "\n", "字".repeat(34_000), "q".repeat(5000), ". ");

describe("likely parts", () => {
  it("contain every word that can match", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof({ weight: 4, arbitrary: word }, { weight: 1, arbitrary: filler }), { maxLength: 10 }),
        fc.array(word, { minLength: 1, maxLength: 3 }),
        fc.boolean(),
        (pieces, asked, quoted) => {
          const text = pieces.join(" ");
          const query = parseQuery(quoted ? `"${asked.join(" ")}"` : asked.join(" "));
          const parts = findLikelyParts(text, query);
          const found = parts.flatMap(({ start, end }) =>
            findSpans(text.slice(start, end), query).map((span) => [start + span.start, start + span.end, span.clause]),
          );
          expect(found).toEqual(findSpans(text, query).map(({ start, end, clause }) => [start, end, clause]));
        },
      ),
      { numRuns: 200 },
    );
  });

  it("exclude the rest", () => {
    const text = `${"lorem ipsum ".repeat(10_000)}needle ${"dolor sit ".repeat(10_000)}`;
    const parts = findLikelyParts(text, parseQuery("needle"));
    expect(parts).toHaveLength(1);
    expect(parts[0]!.end - parts[0]!.start).toBeLessThan(8000);
  });
});
