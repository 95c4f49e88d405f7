import { sliceChars } from "@pdpp/evidence/text/text";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ReadTransaction } from "../engine/engine.ts";
import { splitIntoChunks } from "./long-text.ts";
import { createStoredText } from "./text-source.ts";

const text = Array.from({ length: 200 }, (_, n) => `${n} 🎉 é `.repeat(150)).join("");
const chars = [...text].length;
const chunks = [...splitIntoChunks(text)];

/** Answers as the table of chunks does: the first and last chunk are the last two values. */
function openText() {
  const read: number[] = [];
  const all = async ({ values }: { readonly values: readonly unknown[] }) => {
    const [first, last] = values.slice(-2) as [number, number];
    read.push(last - first + 1);
    return chunks.slice(first, last + 1).map((chunk) => ({ chars: chunk }));
  };
  const on = { all } as unknown as ReadTransaction;
  return { read, source: createStoredText(on, { ownerNo: 1, connectionNo: 1, version: 1, textNo: 0, chars }) };
}

describe("a stored text", () => {
  it("[WIN-3] has the same slices as the whole text, in whatever order they are read", async () => {
    const place = fc.tuple(fc.nat(chars + 9000), fc.nat(30_000));
    await fc.assert(
      fc.asyncProperty(fc.array(place, { minLength: 1, maxLength: 12 }), async (places) => {
        const { source } = openText();
        for (const [start, length] of places)
          expect(await source.slice(start, start + length)).toBe(sliceChars(text, start, start + length));
      }),
      { numRuns: 40 },
    );
  });

  it("[WIN-8] is read once for a window and the text around it", async () => {
    const { source, read } = openText();
    for (const [start, end] of [
      [60_000, 64_500],
      [55_500, 60_000],
      [53_500, 70_000],
    ] as const)
      await source.slice(start, end);
    expect(read).toEqual([3]);
  });

  it("holds no more than a few chunks", async () => {
    const { source, read } = openText();
    for (let n = 0; n < 3; n += 1) await source.slice(0, chars);
    expect(read).toEqual([chunks.length, chunks.length, chunks.length]);
  });
});
