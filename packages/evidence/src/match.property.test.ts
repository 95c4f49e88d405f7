import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { budget } from "./budget.ts";
import { matchWindows } from "./match.ts";
import { type Clause, parseQuery } from "./query.ts";
import { spansOf } from "./spans.ts";
import { charLength, sliceChars } from "./text.ts";
import { isUnspaced, stemOf, wordsOf } from "./words.ts";

/** Few words, so that they meet; glue of all kinds between them. */
const word = fc.constantFrom(
  "bridge",
  "Bridges",
  "bridging",
  "old",
  "OLD",
  "café",
  "cafe\u0301",
  "don't",
  "東京都庁",
  "東京",
  "กรุงเทพ",
  "x1",
  "🎉",
  "👩‍👩‍👧‍👦",
  "mark",
  "a".repeat(90),
  "straße",
  "ﬁsh",
);
const glue = fc.oneof(
  { weight: 6, arbitrary: fc.constant(" ") },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "",
      "-",
      "\n",
      ". ",
      "<mark>",
      "</mark>",
      "…",
      "  ",
      "\u200d",
      "́",
      "😀 ".repeat(40),
      "and so on ".repeat(30),
    ),
  },
);
const anyText = fc
  .array(
    fc.oneof(
      { weight: 8, arbitrary: fc.tuple(word, glue) },
      { weight: 1, arbitrary: fc.tuple(fc.string({ unit: "grapheme" }), glue) },
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.flat().join(""));
const asked = fc.oneof(
  word,
  word.map((each) => `${each.slice(0, 3)}*`),
  fc.tuple(word, word).map((both) => `"${both.join(" ")}"`),
);
const anyQuery = fc.array(asked, { minLength: 1, maxLength: 5 }).map((parts) => parseQuery(parts.join(" ")));
const runs = { numRuns: 10_000 };

function proves(clause: Clause, cut: string): boolean {
  const forms = wordsOf(cut).map(({ form }) => form);
  if (clause.kind === "word") return stemOf(forms[0]!) === clause.stem;
  if (clause.kind === "prefix") return forms[0]!.startsWith(clause.prefix);
  return clause.forms.every((form, i) => form === forms[i]);
}

describe("[LAD-1] over any text and query", () => {
  it("a match's offsets cut exactly the matched words out of the text", () => {
    fc.assert(
      fc.property(anyText, anyQuery, (text, query) => {
        const whole = wordsOf(text);
        for (const { start, end, clause } of spansOf(text, query)) {
          const asked = query.wanted[clause]!;
          expect(proves(asked, text.slice(start, end))).toBe(true);
          expect(whole.some((each) => each.start === start)).toBe(true);
          const single = asked.kind === "prefix" && isUnspaced(asked.prefix);
          expect(single || whole.some((each) => each.end === end)).toBe(true);
        }
      }),
      runs,
    );
  });

  it("nothing that matches is passed over", () => {
    fc.assert(
      fc.property(anyText, anyQuery, (text, query) => {
        const proven = new Set(spansOf(text, query).map(({ clause }) => clause));
        const forms = wordsOf(text).map(({ form }) => form);
        for (const [i, clause] of query.wanted.entries()) {
          const there = forms.some((form, at) => {
            if (clause.kind === "word") return stemOf(form) === clause.stem;
            if (clause.kind === "prefix") return form.startsWith(clause.prefix);
            return clause.forms.every((each, k) => forms[at + k] === each);
          });
          expect(proven.has(i)).toBe(there);
        }
        expect(matchWindows(text, query).length > 0).toBe(proven.size > 0);
      }),
      runs,
    );
  });

  it("[SRCH-5] previews are verbatim, bounded and balanced, and have what they say", () => {
    fc.assert(
      fc.property(anyText, anyQuery, (text, query) => {
        const spans = spansOf(text, query);
        for (const window of matchWindows(text, query)) {
          expect(window.preview).toBe(sliceChars(text, window.start, window.end));
          expect(charLength(window.marked)).toBeLessThanOrEqual(budget.match.previewChars);
          expect(budget.match.previewChars).toBeLessThan(320);
          const tags = window.marked.match(/<\/?mark>/g)!;
          expect(tags.every((tag, i) => tag === (i % 2 === 0 ? "<mark>" : "</mark>"))).toBe(true);
          expect(tags.length).toBe(2 * window.marks.length);
          for (const [i, match] of window.matches.entries()) {
            const cut = sliceChars(text, match.start, match.end);
            const { start, end } = window.marks[i]!;
            expect(end).toBeGreaterThan(start);
            expect(cut).toContain(sliceChars(window.preview, start, end));
            expect(spans.some((span) => charLength(text.slice(0, span.start)) === match.start)).toBe(true);
            expect(spans.some((span) => charLength(text.slice(0, span.end)) === match.end)).toBe(true);
          }
        }
      }),
      runs,
    );
  });

  it("[LAD-2] previews have words on both sides wherever the text has", () => {
    fc.assert(
      fc.property(anyText, anyQuery, (text, query) => {
        const [best] = matchWindows(text, query);
        if (best === undefined) return;
        const total = charLength(text);
        const cutMatch = best.matches.at(-1)!.end > best.end;
        const beforeText = sliceChars(text, 0, best.matches[0]!.start);
        const behindText = sliceChars(text, best.matches.at(-1)!.end, total);
        const before = sliceChars(best.preview, 0, best.marks[0]!.start);
        const behind = sliceChars(best.preview, best.marks.at(-1)!.end, total);
        if (best.marks.length === 1 && best.matches[0]!.start >= best.start)
          expect(before.trim() !== "").toBe(beforeText.trim() !== "");
        if (best.marks.length === 1 && !cutMatch) expect(behind.trim() !== "").toBe(behindText.trim() !== "");
      }),
      runs,
    );
  });
});
