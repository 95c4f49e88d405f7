import { charLength, sliceChars } from "@pdpp/evidence/text";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CutWindow, cutWindow, type Placed } from "./cut-window.ts";
import { heldText } from "./text-source.ts";

const piece = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }).filter((text) => text.isWellFormed()),
  fc.constantFrom(
    "👩‍👩‍👧‍👦",
    "🇩🇪🇫🇷",
    "e\u0301\u0323",
    "\r\n",
    "नमस्ते",
    "\u200d",
    "a".repeat(70),
    "\u0301".repeat(80),
    "plain words ",
  ),
);
const anyText = fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(""));
const at = (start: number, limit: number): Placed => ({ kind: "placed", start, limit, exactly: null });

async function walk(text: string, first: Placed, way: "next" | "previous"): Promise<CutWindow[]> {
  const source = heldText(text, charLength(text));
  const windows: CutWindow[] = [];
  for (let place: Placed | null = first; place !== null; place = windows.at(-1)![way]) {
    windows.push((await cutWindow(source, place))!);
  }
  return windows;
}

describe("a walk over windows", () => {
  it("[WIN-3] rebuilds any text from the start, for any limit", async () => {
    await fc.assert(
      fc.asyncProperty(anyText, fc.integer({ min: 1, max: 90 }), async (text, limit) => {
        const windows = await walk(text, at(0, limit), "next");
        expect(windows.map((window) => window.text).join("")).toBe(text);
      }),
      { numRuns: 10_000 },
    );
  });

  it("[WIN-3] rebuilds any text backwards from any place, for any limit, without gap or overlap", async () => {
    await fc.assert(
      fc.asyncProperty(anyText, fc.nat(100), fc.integer({ min: 1, max: 90 }), async (text, start, limit) => {
        const windows = await walk(text, at(start, limit), "previous");
        const reached = windows[0]!.end;
        expect(
          windows
            .toReversed()
            .map((window) => window.text)
            .join(""),
        ).toBe(sliceChars(text, 0, reached));
        for (const window of windows) expect(charLength(window.text)).toBe(window.end - window.start);
      }),
      { numRuns: 10_000 },
    );
  });
});

describe("a window around a match", () => {
  const text = `${"before ".repeat(300)}needle${" after".repeat(300)}`;
  const start = 2100;
  const around = async (before: number, after: number, limit: number | null) =>
    (await cutWindow(heldText(text, text.length), { kind: "match", q: "needle", before, after, limit }))!;

  it("[WIN-2] has the context asked for", async () => {
    expect(await around(400, 1200, null)).toMatchObject({ start: start - 400, end: start + 6 + 1200, limit: 1606 });
    expect(await around(0, 0, null)).toMatchObject({ text: "needle", start, end: start + 6 });
    expect(await around(8192, 8192, null)).toMatchObject({ start: 0, end: text.length });
  });

  it("[LAD-8] always shows the match, or its beginning", async () => {
    expect(await around(400, 1200, 100)).toMatchObject({ start: start - 94, end: start + 6 });
    expect(await around(400, 0, 5000)).toMatchObject({ start: start - 400, end: start + 6 });
    expect(await around(400, 1200, 3)).toMatchObject({ text: "nee", start, match: { start, end: start + 6 } });
  });
});
