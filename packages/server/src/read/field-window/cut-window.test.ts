import { countChars, sliceChars } from "@pdpp/evidence/text/text";
import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createHeldText } from "../../store/records/text-source.ts";
import { type CutOptions, type CutWindow, cutWindow } from "./cut-window.ts";
import { detectBytes } from "./encoded-spans.ts";
import type { WindowPlace } from "./window-request.ts";

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
const from = (at: number, limit: number): WindowPlace => ({ kind: "from", at, limit });

async function walk(
  text: string,
  first: WindowPlace,
  way: "next" | "previous",
  limits: Pick<CutOptions, "limits"> = {},
): Promise<CutWindow[]> {
  const source = createHeldText(text, countChars(text));
  const windows: CutWindow[] = [];
  for (let place: WindowPlace | null = first; place !== null; place = windows.at(-1)![way]) {
    windows.push((await cutWindow(source, place, { bytes: detectBytes(source), ...limits }))!);
  }
  return windows;
}

describe("a walk over windows", () => {
  it("[WIN-3] rebuilds any text from the start, for any limit", async () => {
    await fc.assert(
      fc.asyncProperty(anyText, fc.integer({ min: 1, max: 90 }), async (text, limit) => {
        const windows = await walk(text, from(0, limit), "next");
        expect(windows.map((window) => window.text).join("")).toBe(text);
      }),
      { numRuns: chooseRuns(1000, 10_000) },
    );
  });

  it("[WIN-3] rebuilds any text backwards from any place, for any limit, without gap or overlap", async () => {
    await fc.assert(
      fc.asyncProperty(anyText, fc.nat(100), fc.integer({ min: 1, max: 90 }), async (text, start, limit) => {
        const windows = await walk(text, from(start, limit), "previous");
        const reached = windows[0]!.end;
        expect(
          windows
            .toReversed()
            .map((window) => window.text)
            .join(""),
        ).toBe(sliceChars(text, 0, reached));
        for (const window of windows) expect(countChars(window.text)).toBe(window.end - window.start);
      }),
      { numRuns: chooseRuns(1000, 10_000) },
    );
  });
});

describe("a window for the result of a tool", () => {
  const bytes = (seed: number, chars: number): string =>
    Buffer.from(Array.from({ length: chars }, (_, i) => (i * i * 7919 + i * seed) & 255)).toString("base64");
  const limits = { limits: () => ({ chars: 700, bytes: 30_000, tokens: 8000 }) };
  const image = `data:image/png;base64,${bytes(3, 30_000)}`;
  const mail = `${"Before it. ".repeat(90)}<img src="${image}"> ${"After it. ".repeat(90)}needle in the end`;

  it("[WIN-3] [WIN-8] walks any text in both directions without loss, within its limits", async () => {
    await fc.assert(
      fc.asyncProperty(anyText, fc.nat(100), fc.integer({ min: 1, max: 300 }), async (text, start, chars) => {
        const small = { limits: () => ({ chars, bytes: 1000, tokens: 1000 }) };
        const ahead = await walk(text, from(0, 90), "next", small);
        expect(ahead.map((window) => window.text).join("")).toBe(text);
        const back = await walk(text, from(start, 90), "previous", small);
        const [first] = back;
        const shown = back.toReversed().map((window) => window.text);
        expect(shown.join("")).toBe(sliceChars(text, 0, first!.end));
      }),
      { numRuns: 3000 },
    );
  });

  it("[BIG-6] skips a run of bytes in one step, forwards and backwards", async () => {
    const run = { start_chars: mail.indexOf("data:"), end_chars: mail.indexOf("data:") + image.length };
    const ahead = await walk(mail, from(0, 4096), "next", limits);
    const back = await walk(mail, { kind: "to", at: mail.length, limit: 4096 }, "previous", limits);
    for (const windows of [ahead, back.toReversed()]) {
      expect(windows.map((window) => window.text).join("")).toBe(mail.replace(image, ""));
      expect(windows.every((window) => window.text !== "")).toBe(true);
      expect(windows.flatMap(({ notShown }) => notShown)).toEqual([run, run]);
    }
  });

  it("[BIG-6] starts a window after the run it was requested in, and ends a backward window before it", async () => {
    const source = createHeldText(mail, mail.length);
    const at = async (place: WindowPlace) =>
      (await cutWindow(source, place, { bytes: detectBytes(source), ...limits }))!;
    const middle = mail.indexOf("data:") + 9000;
    expect((await at(from(middle, 4096))).text).toMatch(/^"> After it\. /);
    expect((await at({ kind: "to", at: middle, limit: 4096 })).text).toMatch(/ it\. <img src="$/);
  });

  it("[BIG-6] shows a megabyte of bytes as one window without neighbours", async () => {
    const value = bytes(5, 800_000);
    for (const text of [value, `${value}\n`.replace(/.{76}/g, "$&\r\n").trimEnd()]) {
      const [whole, ...more] = await walk(text, from(0, 4096), "next", limits);
      expect(more).toEqual([]);
      expect(whole).toMatchObject({ text: "", next: null, previous: null });
      expect(whole!.notShown).toEqual([{ start_chars: 0, end_chars: text.length }]);
      const [middle] = await walk(text, from(400_000, 4096), "next", limits);
      expect(middle).toMatchObject({ text: "", next: null, previous: null });
    }
  });

  it("[BIG-6] shows a match after or before a picture", async () => {
    const source = createHeldText(mail, mail.length);
    const options = { bytes: detectBytes(source), ...limits };
    const asked = { kind: "match", before: 400, after: 1200, limit: null } as const;
    const last = (await cutWindow(source, { ...asked, q: "needle" }, options))!;
    expect(last.text).toContain("needle in the end");
    const near = (await cutWindow(source, { ...asked, q: "after" }, options))!;
    expect(near.text).toMatch(/^"> After it\./);
    const before = (await cutWindow(source, { ...asked, q: "img src" }, options))!;
    expect(before.text).toMatch(/<img src="$/);
  });

  it("[BIG-4] finds no words in bytes", async () => {
    const word = /(?<=[+/])[a-z]{2,}(?=[+/])/i.exec(image)![0];
    const source = createHeldText(mail, mail.length);
    const asked = { kind: "match", q: word, before: 400, after: 1200, limit: null } as const;
    expect(await cutWindow(source, asked, { bytes: detectBytes(source) })).toBeNull();
  });
});

describe("a window around a match", () => {
  const text = `${"before ".repeat(300)}needle${" after".repeat(300)}`;
  const source = createHeldText(text, text.length);
  const start = 2100;
  const around = async (before: number, after: number, limit: number | null) =>
    (await cutWindow(source, { kind: "match", q: "needle", before, after, limit }, { bytes: detectBytes(source) }))!;

  it("[WIN-2] has the requested context", async () => {
    expect(await around(400, 1200, null)).toMatchObject({ start: start - 400, end: start + 6 + 1200, limit: 1606 });
    expect(await around(0, 0, null)).toMatchObject({ text: "needle", start, end: start + 6 });
    expect(await around(8192, 8192, null)).toMatchObject({ start: 0, end: text.length });
  });

  it("[WIN-2] shrinks both sides proportionally when the limit is too small", async () => {
    expect(await around(400, 1200, 106)).toMatchObject({ start: start - 22, end: start + 6 + 73 });
    expect(await around(400, 400, 106)).toMatchObject({ start: start - 50, end: start + 6 + 49 });
  });

  it("[LAD-8] always shows the match, or its beginning", async () => {
    expect(await around(400, 0, 5000)).toMatchObject({ start: start - 400, end: start + 6 });
    expect(await around(400, 1200, 3)).toMatchObject({ text: "nee", start, match: { start, end: start + 6 } });
  });
});
