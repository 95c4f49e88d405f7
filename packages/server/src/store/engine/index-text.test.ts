import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toIndexText } from "./index-text.ts";

const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 20 }),
  fc.string({ unit: "binary", maxLength: 400 }),
  fc
    .record({
      head: fc.string({ maxLength: 3 }),
      times: fc.integer({ min: 0, max: 300 }),
      tail: fc.string({ maxLength: 3 }),
    })
    .map(({ head, times, tail }) => head + "mé😀"[times % 3]!.repeat(times) + tail),
);
/** Only text that records can hold. */
const held = text.filter((value) => value.isWellFormed() && !value.includes("\0"));
const byCodePoint = (a: string, b: string) => Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b)));

describe("the index form of a text", () => {
  it("is equal only for equal texts, even if a text is the index form of another", () => {
    fc.assert(
      fc.property(held, held, (a, b) => void expect(toIndexText(a) === toIndexText(b)).toBe(a === b)),
      { numRuns: 500 },
    );
    fc.assert(
      fc.property(held, (a) => void expect(toIndexText(toIndexText(a)) === toIndexText(a)).toBe(toIndexText(a) === a)),
    );
  });

  it("is bounded, and storable in a database", () =>
    fc.assert(
      fc.property(text, (a) => {
        expect(Buffer.byteLength(toIndexText(a))).toBeLessThanOrEqual(256);
        expect(toIndexText(a).isWellFormed()).toBe(true);
        expect(toIndexText(a)).not.toContain("\0");
      }),
      { numRuns: 500 },
    ));

  it("is the text itself if short, so that short texts sort exactly", () =>
    fc.assert(
      fc.property(held, (a) => {
        if (Buffer.byteLength(a) <= 256 && !a.includes("\u0001")) expect(toIndexText(a)).toBe(a);
      }),
    ));

  it("sorts like the text wherever the prefixes differ", () =>
    fc.assert(
      fc.property(held, held, (a, b) => {
        const [first, second] = [a, b].map((value) => Array.from(value).slice(0, 48).join(""));
        fc.pre(first !== second && !first!.startsWith(second!) && !second!.startsWith(first!));
        expect(byCodePoint(toIndexText(a), toIndexText(b))).toBe(byCodePoint(a, b));
      }),
      { numRuns: 500 },
    ));

  it("never equals that of a storable text if the text is not storable", () =>
    fc.assert(
      fc.property(held, fc.constantFrom("\0", "\ud800", "\udc00"), fc.nat(20), (a, bad, at) => {
        const broken = a.slice(0, at) + bad + a.slice(at);
        fc.pre(!broken.isWellFormed() || broken.includes("\0"));
        for (const other of [a, broken.toWellFormed(), broken.replaceAll("\0", "")]) {
          if (other !== broken && other.isWellFormed() && !other.includes("\0") && Buffer.byteLength(other) <= 256)
            expect(toIndexText(broken)).not.toBe(toIndexText(other));
        }
      }),
    ));
});
