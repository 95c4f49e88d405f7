import type { Json, JsonObject } from "@pdpp/contract/declaration";
import { countChars } from "@pdpp/evidence/text/text";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chunkChars, createOutline, splitIntoChunks } from "./long-text.ts";

describe("long texts", () => {
  it("[WIN-3] are split into chunks of equal length that join to the text", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("a", "é", "🎉", "e\u0301", "𝄞𝄞"), { maxLength: 30 }), (units) => {
        const text = units.map((unit) => unit.repeat(997)).join("");
        const chunks = [...splitIntoChunks(text)];
        expect(chunks.join("")).toBe(text);
        expect(chunks.slice(0, -1).every((chunk) => countChars(chunk) === chunkChars)).toBe(true);
        expect(chunks.every((chunk) => chunk.isWellFormed() && chunk !== "")).toBe(true);
      }),
    );
  });

  it("are removed from a record wherever they are, and nothing else is", () => {
    const long = "x".repeat(10_000);
    const data = JSON.parse(
      `{"a":"${long}","b":[1,{"__proto__":"${long}y","short":"","n":null}],"c":{"d.e":["s","${long}z"]}}`,
    ) as JsonObject;
    const { outline, texts } = createOutline(data);
    expect(outline.long.map(({ path, chars }) => [path.join("/"), chars])).toEqual([
      ["a", 10_000],
      ["b/1/__proto__", 10_001],
      ["c/d.e/1", 10_001],
    ]);
    expect(texts).toEqual([long, `${long}y`, `${long}z`]);
    expect(JSON.stringify(outline.data)).toBe(
      '{"a":"","b":[1,{"__proto__":"","short":"","n":null}],"c":{"d.e":["s",""]}}',
    );
    expect(createOutline({ a: "short", b: [true as Json] })).toEqual({
      outline: { data: { a: "short", b: [true] }, long: [] },
      texts: [],
    });
  });
});
