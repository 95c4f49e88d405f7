import { describe, expect, it } from "vitest";
import type { Entry } from "../../tree/tree.ts";
import { readCsvRows } from "./csv.ts";

const createEntry = (text: string, size: number): Entry => ({
  path: "file.csv",
  size: text.length,
  modifiedAt: 0,
  source: "file.csv",
  async *bytes(from = 0) {
    const bytes = Buffer.from(text);
    for (let at = from; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  },
});

describe("[IMP-9] streaming CSV", () => {
  const file = '\ufeffa,"b ""c"" é",\r\n"two\nlines, and a comma",x,"y"\n\nlast,5" pipe,"" \n';

  it.each([1, 2, 3, 1000])("yields the same result in chunks of %i bytes", async (size) => {
    const rows = await Array.fromAsync(readCsvRows(createEntry(file, size)));
    expect(rows.map(({ fields }) => fields)).toEqual([
      ["a", 'b "c" é', ""],
      ["two\nlines, and a comma", "x", "y"],
      ["last", '5" pipe', " "],
    ]);
    for (const [i, { end }] of rows.entries()) {
      const rest = await Array.fromAsync(readCsvRows(createEntry(file, size), ",", end));
      expect(rest.map(({ fields }) => fields)).toEqual(rows.slice(i + 1).map(({ fields }) => fields));
    }
  });

  it("reports a quote that is never closed", async () => {
    const rows = await Array.fromAsync(readCsvRows(createEntry('a;b\n1;"open\n2;3\n', 4), ";"));
    expect(rows.map(({ failure }) => failure?.code)).toEqual([undefined, "truncated"]);
  });
});
