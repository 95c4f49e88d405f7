import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Line, readLines } from "./lines.ts";

async function* pieces(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  let from = 0;
  for (const cut of [...cuts].map((part) => part % (bytes.length + 1)).sort((a, b) => a - b)) {
    yield bytes.subarray(from, cut);
    from = Math.max(from, cut);
  }
  yield bytes.subarray(from);
}

async function read(bytes: Uint8Array | string, cuts: readonly number[] = [], longest?: number): Promise<Line[]> {
  const lines: Line[] = [];
  for await (const some of readLines(pieces(Buffer.from(bytes as string), cuts), longest)) lines.push(...some);
  return lines;
}

const texts = (lines: readonly Line[]) => lines.map((line) => ("text" in line ? line.text : line.fault));

/** The same lines, computed from all bytes at once. */
function expected(bytes: Buffer, longest: number): string[] {
  const lines: Buffer[] = [];
  let from = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, from)) {
    lines.push(bytes.subarray(from, at));
    from = at + 1;
  }
  if (from < bytes.length) lines.push(bytes.subarray(from));
  return lines.map((line, i) => {
    if (line.length > longest) return "line_too_long";
    const text = line.toString("utf8");
    if (!Buffer.from(text).equals(line)) return "invalid_utf8";
    return i === 0 ? text.replace(/^\uFEFF/, "") : text;
  });
}

const byte = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(10, 13, 97, 0xef, 0xbb, 0xbf, 0xc3, 0xa9, 0xff) },
  fc.nat(255),
);
const someBytes = fc.oneof(
  fc.array(byte, { maxLength: 40 }),
  fc.array(byte, { maxLength: 20 }).map((rest) => [0xef, 0xbb, 0xbf, ...rest]),
);

describe("lines of a byte stream", () => {
  it("are the same for any chunking of the bytes", () =>
    fc.assert(
      fc.asyncProperty(
        someBytes,
        fc.array(fc.nat(60), { maxLength: 12 }),
        fc.integer({ min: 1, max: 30 }),
        async (bytes, cuts, longest) => {
          const lines = await read(Uint8Array.from(bytes), cuts, longest);
          expect(texts(lines)).toEqual(expected(Buffer.from(bytes), longest));
          expect(lines.map(({ number }) => number)).toEqual(lines.map((_, i) => i + 1));
        },
      ),
      { numRuns: 1000 },
    ));

  it("lose a byte order mark only at the beginning, even if another line is invalid", async () => {
    expect(texts(await read("\uFEFFa\n\uFEFFb"))).toEqual(["a", "\uFEFFb"]);
    expect(
      texts(await read(Buffer.concat([Buffer.from("\uFEFFa\n"), Buffer.from([0xff]), Buffer.from("\nb\n")]))),
    ).toEqual(["a", "invalid_utf8", "b"]);
  });

  it("keep a carriage return, which JSON treats as whitespace", async () => {
    const lines = await read('{"a":1}\r\n{"a":2}\r\n');
    expect(lines.map((line) => "text" in line && (JSON.parse(line.text) as object))).toEqual([{ a: 1 }, { a: 2 }]);
  });

  it("are numbered including empty and invalid ones, and the last needs no newline", async () => {
    expect(await read("a\n\nb")).toEqual([
      { number: 1, text: "a" },
      { number: 2, text: "" },
      { number: 3, text: "b" },
    ]);
    expect(await read("")).toEqual([]);
    expect(await read("\n")).toEqual([{ number: 1, text: "" }]);
  });

  it("are limited in length", async () => {
    let sent = 0;
    async function* endless() {
      for (; sent < 1000; sent += 1) yield Buffer.alloc(100, 97);
      yield Buffer.from("\nb\n");
    }
    const lines: Line[] = [];
    for await (const some of readLines(endless(), 250)) {
      lines.push(...some);
      if (lines.length === 1) expect(sent).toBeLessThan(5);
    }
    expect(lines).toEqual([
      { number: 1, fault: "line_too_long" },
      { number: 2, text: "b" },
    ]);
  });
});
