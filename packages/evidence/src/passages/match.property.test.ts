import { type Clause, parseQuery, type SearchQuery } from "@pdpp/language/query/query";
import { isUnspaced, tokenize } from "@pdpp/language/words/tokenize";
import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { budget } from "../sizes/budget.ts";
import { countChars, sliceChars } from "../text/text.ts";
import { findMatchWindows } from "./match.ts";
import { findSpans } from "./spans.ts";

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
  "O’Brien",
  "e-mail",
  "eMail",
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
const runs = { numRuns: chooseRuns(1000, 10_000) };

/** The forms of a text by position: a word with a seam has its whole and its first part at one. */
function formsAt(text: string): string[][] {
  const forms: string[][] = [];
  for (const { form, position } of tokenize(text)) forms[position] = [...(forms[position] ?? []), form];
  return forms;
}

const hasPhrase = (forms: readonly (readonly string[])[], phrase: readonly string[]): boolean =>
  forms.some((_, at) => phrase.every((form, i) => forms[at + i]?.includes(form)));

function proves(query: SearchQuery, index: number, forms: readonly (readonly string[])[]): boolean {
  const clause: Clause = query.wanted[index]!;
  if (clause.kind === "phrase") return hasPhrase(forms, clause.forms);
  if (clause.kind === "word" && clause.parts !== undefined && hasPhrase(forms, clause.parts)) return true;
  const wholes = query.runs.filter(({ clauses }) => clauses.includes(index)).map(({ joined }) => joined);
  return forms
    .flat()
    .some((form) =>
      clause.kind === "word"
        ? clause.inflections.weigh(form) > 0 || wholes.includes(form)
        : form.startsWith(clause.prefix) || wholes.includes(form),
    );
}

describe("[LAD-1] over any text and query", () => {
  it("a match's offsets select exactly the matched words", () => {
    fc.assert(
      fc.property(anyText, anyQuery, (text, query) => {
        const whole = tokenize(text);
        for (const { start, end, clause } of findSpans(text, query)) {
          const asked = query.wanted[clause]!;
          expect(proves(query, clause, formsAt(text.slice(start, end)))).toBe(true);
          expect(whole.some((each) => each.start === start)).toBe(true);
          const single = asked.kind === "prefix" && isUnspaced(asked.prefix);
          expect(single || whole.some((each) => each.end === end)).toBe(true);
        }
      }),
      runs,
    );
  });

  it("no match is missed", () => {
    fc.assert(
      fc.property(anyText, anyQuery, (text, query) => {
        const proven = new Set(findSpans(text, query).map(({ clause }) => clause));
        const forms = formsAt(text);
        for (const i of query.wanted.keys()) expect(proven.has(i)).toBe(proves(query, i, forms));
        expect(findMatchWindows(text, query).length > 0).toBe(proven.size > 0);
      }),
      runs,
    );
  });

  it("[SRCH-5] previews are verbatim, bounded and balanced, and contain their matches", () => {
    fc.assert(
      fc.property(anyText, anyQuery, (text, query) => {
        const spans = findSpans(text, query);
        for (const window of findMatchWindows(text, query)) {
          expect(window.preview).toBe(sliceChars(text, window.start, window.end));
          const { wholeChars, previewChars, slackChars } = budget.match;
          expect(countChars(window.preview)).toBeLessThanOrEqual(Math.max(wholeChars, previewChars + 2 * slackChars));
          const isTagged = /<\/?mark\b/i.test(window.preview);
          const tags = isTagged ? [] : window.marked.match(/<\/?mark>/g)!;
          expect(tags.every((tag, i) => tag === (i % 2 === 0 ? "<mark>" : "</mark>"))).toBe(true);
          if (isTagged) expect(window.marked).toContain(window.preview);
          else expect(tags.length).toBe(2 * window.marks.length);
          for (const [i, match] of window.matches.entries()) {
            const cut = sliceChars(text, match.start, match.end);
            const { start, end } = window.marks[i]!;
            expect(end).toBeGreaterThan(start);
            expect(cut).toContain(sliceChars(window.preview, start, end));
            expect(spans.some((span) => countChars(text.slice(0, span.start)) === match.start)).toBe(true);
            expect(spans.some((span) => countChars(text.slice(0, span.end)) === match.end)).toBe(true);
          }
        }
      }),
      runs,
    );
  });

  it("[LAD-2] previews have context on both sides wherever the text does", () => {
    fc.assert(
      fc.property(anyText, anyQuery, (text, query) => {
        const [best] = findMatchWindows(text, query);
        if (best === undefined) return;
        const total = countChars(text);
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
