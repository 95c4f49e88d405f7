import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countChars, sliceChars, toUnitIndex } from "../text/text.ts";
import { clusterMargin, cutWindowFrom, cutWindowTo } from "./window.ts";

/** Text of every plane: letters, combining marks, joined emoji, flags, right-to-left, line ends. */
const piece = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }).filter((text) => text.isWellFormed()),
  fc.string({ unit: "grapheme", maxLength: 8 }),
  fc.constantFrom(
    "👩‍👩‍👧‍👦",
    "🇩🇪🇫🇷",
    "e\u0301\u0323",
    "\r\n",
    "नमस्ते",
    "สวัสดี",
    "‏مرحبا",
    "\u200d",
    "a".repeat(70),
    "́".repeat(80),
  ),
);
const anyText = fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(""));
const runs = { numRuns: chooseRuns(1000, 10_000) };

describe("characters", () => {
  it("[WIN-3] are code points, counted and sliced alike", () => {
    fc.assert(
      fc.property(anyText, fc.nat(60), fc.nat(60), (text, a, b) => {
        const points = Array.from(text);
        expect(countChars(text)).toBe(points.length);
        expect(sliceChars(text, a, a + b)).toBe(points.slice(a, a + b).join(""));
        expect(toUnitIndex(text, a)).toBe(points.slice(0, a).join("").length);
      }),
      runs,
    );
  });
});

describe("windows", () => {
  const sliceFrom = (text: string, start: number, limit: number) =>
    sliceChars(text, start, start + limit + clusterMargin);
  const sliceTo = (text: string, end: number, limit: number) =>
    sliceChars(text, Math.max(0, end - limit - clusterMargin), end);

  it("[WIN-3] tile any text exactly, forwards, for any limit", () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 90 }), (text, limit) => {
        const total = countChars(text);
        let rebuilt = "";
        for (let at = 0; at < total; ) {
          const window = cutWindowFrom(sliceFrom(text, at, limit), at, limit);
          expect(window.start).toBe(at);
          expect(window.end - window.start).toBeGreaterThan(0);
          expect(window.end - window.start).toBeLessThanOrEqual(limit);
          expect(window.text).toBe(sliceChars(text, window.start, window.end));
          rebuilt += window.text;
          at = window.end;
        }
        expect(rebuilt).toBe(text);
      }),
      runs,
    );
  });

  it("[WIN-3] tile any text exactly, backwards, for any limit", () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 90 }), (text, limit) => {
        let rebuilt = "";
        for (let end = countChars(text); end > 0; ) {
          const { start, ...window } = cutWindowTo(sliceTo(text, end, limit), end, limit);
          expect(window.text).toBe(sliceChars(text, start, end));
          expect(end - start).toBeGreaterThan(0);
          expect(end - start).toBeLessThanOrEqual(limit);
          rebuilt = sliceChars(text, start, end) + rebuilt;
          end = start;
        }
        expect(rebuilt).toBe(text);
      }),
      runs,
    );
  });

  it("[WIN-3] split no grapheme cluster that fits the limit", () => {
    const clusters = new Intl.Segmenter(undefined, { granularity: "grapheme" });
    fc.assert(
      fc.property(anyText, fc.integer({ min: 12, max: 90 }), (text, limit) => {
        const total = countChars(text);
        const starts = new Set(Array.from(clusters.segment(text), ({ index }) => countChars(text.slice(0, index))));
        const longest = Math.max(0, ...Array.from(clusters.segment(text), ({ segment }) => countChars(segment)));
        if (longest > limit) return;
        for (let at = 0; at < total; ) {
          const { end } = cutWindowFrom(sliceFrom(text, at, limit), at, limit);
          expect(end === total || starts.has(end)).toBe(true);
          at = end;
        }
      }),
      { numRuns: chooseRuns(400, 2000) },
    );
  });

  it("[WIN-7] start and end between words if that costs under 40 characters", () => {
    const words = fc.array(fc.string({ unit: fc.constantFrom(..."abcdefghijklmnop"), minLength: 1, maxLength: 38 }), {
      minLength: 40,
      maxLength: 80,
    });
    const isBetween = (text: string, at: number): boolean =>
      at === 0 || at === text.length || text[at - 1] === " " || text[at] === " ";
    fc.assert(
      fc.property(words, fc.integer({ min: 160, max: 600 }), (parts, limit) => {
        const text = parts.join(" ");
        const middle = text.indexOf(" ", text.length / 2);
        const after = cutWindowFrom(sliceFrom(text, middle, limit), middle, limit);
        expect(isBetween(text, after.end)).toBe(true);
        expect(after.end).toBeGreaterThan(Math.min(text.length - 1, middle + limit - 40));
        const before = cutWindowTo(sliceTo(text, middle, limit), middle, limit);
        expect(isBetween(text, before.start)).toBe(true);
        expect(before.start).toBeLessThan(Math.max(1, middle - limit + 40));
      }),
      { numRuns: 1000 },
    );
  });

  it("[WIN-7] split longer words, and words in shorter windows", () => {
    expect(cutWindowFrom("x".repeat(300), 0, 200).end).toBe(200);
    expect(cutWindowTo("x".repeat(300), 300, 200).start).toBe(100);
    expect(cutWindowFrom("one two three four five", 0, 11).text).toBe("one two thr");
  });
});
