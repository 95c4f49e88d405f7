import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "./manifest/declaration.ts";
import { buildRecordKey, normalizeKey } from "./record-key.ts";

const part = fc.oneof(
  fc.string({ minLength: 1 }),
  fc.integer(),
  fc.boolean(),
  fc.constantFrom('["a"]', "a,b", '"', "\\", "1"),
);
const parts = fc.array(part, { minLength: 1, maxLength: 3 });
const namesOf = (list: readonly unknown[]) => list.map((_, i) => `k${i}`);
const dataOf = (list: readonly (string | number | boolean)[]): JsonObject =>
  Object.fromEntries(list.map((value, i) => [`k${i}`, value]));

describe("a record's key", () => {
  it("is the one text that the data and the sender's spelling give", () =>
    fc.assert(
      fc.property(parts, (list) => {
        const key = buildRecordKey(namesOf(list), dataOf(list));
        expect(key).not.toBeNull();
        expect(normalizeKey(list, namesOf(list))).toBe(key);
        expect(normalizeKey(key, namesOf(list))).toBe(key);
        if (list.length === 1) expect(key).toBe(String(list[0]));
        else expect(JSON.parse(key!)).toEqual(list.map(String));
      }),
    ));

  it("differs when any part does", () =>
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3 }), fc.infiniteStream(part), (length, stream) => {
        const [a, b] = [[...stream.take(length)], [...stream.take(length)]];
        const same = JSON.stringify(a.map(String)) === JSON.stringify(b.map(String));
        expect(buildRecordKey(namesOf(a), dataOf(a)) === buildRecordKey(namesOf(b), dataOf(b))).toBe(same);
      }),
    ));

  it.each([[{}], [{ k0: null }], [{ k0: "" }], [{ k0: [] }], [{ k0: {} }]])("is missing in %j", (data) => {
    expect(buildRecordKey(["k0"], data as JsonObject)).toBeNull();
    expect(buildRecordKey(["k0", "k1"], { k1: "x", ...data } as JsonObject)).toBeNull();
  });

  it("is not taken from a prototype", () => {
    expect(buildRecordKey(["constructor"], {})).toBeNull();
    expect(buildRecordKey(["__proto__"], {})).toBeNull();
    expect(buildRecordKey(["__proto__"], JSON.parse('{"__proto__":"a"}') as JsonObject)).toBe("a");
  });

  it.each([null, undefined, "", {}, [], [""], [null], ["a", "b"], [["a"]]])(
    "is not what %j spells for a single field",
    (said) => {
      expect(normalizeKey(said, ["id"])).toBeNull();
    },
  );
});
