import { expect, it } from "vitest";
import { readLines } from "./lines.ts";

async function* splitIntoPieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(text: string, size: number): Promise<[number, string][]> {
  const found: [number, string][] = [];
  for await (const { offset, bytes } of readLines(splitIntoPieces(text, size)))
    found.push([offset, Buffer.from(bytes).toString()]);
  return found;
}

it("[IMP-9] reads the same lines from any chunks", async () => {
  const text = "first\r\n\nthird is longer\nlast";
  for (const size of [1, 2, 3, 7, 100]) {
    expect(await read(text, size)).toEqual([
      [0, "first"],
      [7, ""],
      [8, "third is longer"],
      [24, "last"],
    ]);
  }
});

it("[IMP-9] reads a line of many megabytes in linear time, and cuts it", async () => {
  const most = 16 * 1024 * 1024;
  const found = await read(`${"x".repeat(most + 1000)}\nnext`, 1000);
  expect(found.map(([offset, { length }]) => [offset, length])).toEqual([
    [0, most],
    [most, 1000],
    [most + 1001, 4],
  ]);
});
