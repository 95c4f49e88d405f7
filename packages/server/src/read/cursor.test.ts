import type { Json } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CursorKeys, createSealer, deriveCursorKeys, openCursor } from "./cursor.ts";

const keys = deriveCursorKeys("one secret");
const sealCursor = (by: CursorKeys, binding: Json, position: Json): string => createSealer(by, binding)(position);
const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);

function isRefused(cursor: string, binding: Json, with_ = keys): boolean {
  try {
    openCursor(with_, binding, cursor, "cursor");
    return false;
  } catch (error) {
    return error instanceof PdppError && error.code === "invalid_cursor" && error.details.param === "cursor";
  }
}

describe("a cursor", () => {
  it("has keys that are derived once for each secret", () => {
    expect(deriveCursorKeys("one secret")).toBe(keys);
    for (let n = 0; n < 100; n += 1) deriveCursorKeys(`secret ${n}`);
    expect(deriveCursorKeys("one secret")).toEqual(keys);
    expect(deriveCursorKeys("secret 7").seal).not.toEqual(keys.seal);
  });

  it("opens to its position for the query it was made for", () =>
    fc.assert(
      fc.property(
        json,
        json,
        (binding, position) =>
          void expect(openCursor(keys, binding, sealCursor(keys, binding, position), "cursor")).toEqual(position),
      ),
    ));

  it("is equal for equal positions, and does not reveal them", () =>
    fc.assert(
      fc.property(json, json, json, (binding, position, other) => {
        const seal = createSealer(keys, binding);
        const cursor = seal(position);
        expect(seal(position)).toBe(cursor);
        expect(sealCursor(keys, binding, position)).toBe(cursor);
        expect(cursor).toMatch(/^[\w-]+$/);
        if (JSON.stringify(position) !== JSON.stringify(other))
          expect(sealCursor(keys, binding, other)).not.toBe(cursor);
      }),
    ));

  it("is rejected when any bit is flipped", () =>
    fc.assert(
      fc.property(json, fc.nat(), (position, bit) => {
        const bytes = Buffer.from(sealCursor(keys, "query", position), "base64url");
        const at = bit % (bytes.length * 8);
        bytes[at >> 3]! ^= 1 << (at & 7);
        expect(isRefused(bytes.toString("base64url"), "query")).toBe(true);
      }),
      { numRuns: 300 },
    ));

  it("is rejected when truncated, extended or spelled differently", () =>
    fc.assert(
      fc.property(json, fc.nat(), fc.constantFrom("=", " ", "A", "\n", "+", "é", "\0"), (position, at, more) => {
        const cursor = sealCursor(keys, "query", position);
        expect(isRefused(cursor.slice(0, at % cursor.length), "query")).toBe(true);
        expect(isRefused(cursor.slice(1 + (at % cursor.length)), "query")).toBe(true);
        expect(isRefused(cursor + more, "query")).toBe(true);
        expect(isRefused(more + cursor, "query")).toBe(true);
      }),
      { numRuns: 300 },
    ));

  it("is rejected for another query and by another vault", () =>
    fc.assert(
      fc.property(json, json, json, (binding, other, position) => {
        fc.pre(JSON.stringify(binding) !== JSON.stringify(other));
        expect(isRefused(sealCursor(keys, binding, position), other)).toBe(true);
        expect(isRefused(sealCursor(keys, binding, position), binding, deriveCursorKeys("another secret"))).toBe(true);
      }),
    ));

  it("is rejected when it is arbitrary text", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void expect(isRefused(text, "query")).toBe(true)));
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 60 }),
        (bytes) => void expect(isRefused(Buffer.from(bytes).toString("base64url"), "query")).toBe(true),
      ),
    );
  });
});
