import type { Json, JsonObject } from "@pdpp/contract/declaration";
import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type FieldPath,
  type FieldTarget,
  formatFieldPath,
  formatFieldTarget,
  getValue,
  parseFieldPath,
  parseFieldTarget,
} from "./field-path.ts";

const key = fc.oneof(
  fc.constantFrom(
    "a",
    "b",
    "a.b",
    "",
    "[0]",
    '["a"]',
    '"',
    "\\",
    "a b",
    "0",
    "a\nb",
    "\u2028",
    "👩‍👧",
    "\ud800",
    "__proto__",
    "{text}",
    "a{text}",
    "a.b{text}",
  ),
  fc.string({ unit: "binary", maxLength: 6 }),
);
const path = fc
  .tuple(key, fc.array(fc.oneof(key, fc.nat(1_000_000)), { maxLength: 4 }))
  .map(([first, rest]): FieldPath => [first, ...rest]);

const target = fc.record<FieldTarget>({ path, of: fc.constantFrom("value", "blob") });

describe("[WIN-6] paths", () => {
  it.each<[string, FieldPath]>([
    ["a", ["a"]],
    ["a.b[0].c", ["a", "b", 0, "c"]],
    ['["a.b"][12]["c]"]', ["a.b", 12, "c]"]],
    ['a[""]', ["a", ""]],
    ["sent at.Ärger", ["sent at", "Ärger"]],
    ['[ "a" ][ 3 ]', ["a", 3]],
  ])("%s is a path", (text, steps) => expect(parseFieldPath(text)).toEqual(steps));

  it.each([
    "",
    ".",
    "a.",
    ".a",
    "a..b",
    "a[",
    "a[]",
    "a[-1]",
    "a[01]",
    "a[0]b",
    "[0]",
    "a]",
    'a["b]',
    'a["\\x"]',
    "a.[0]",
    'a."b"[',
    'a["b"]c',
    "a{text}",
    "a{b",
    "{text}",
  ])("%j is not a path", (text) => expect(parseFieldPath(text)).toBeNull());

  it("round-trip for any keys", () => {
    fc.assert(
      fc.property(path, (steps) => {
        expect(parseFieldPath(formatFieldPath(steps))).toEqual(steps);
      }),
      { numRuns: chooseRuns(1000, 10_000) },
    );
  });

  it("round-trip among any top-level fields, even with dots in names", () => {
    fc.assert(
      fc.property(
        path,
        fc.array(
          fc.oneof(
            key,
            path.map((steps) => formatFieldPath(steps)),
          ),
          { maxLength: 8 },
        ),
        (steps, names) => {
          const fields = new Set([...names, formatFieldPath(steps), `["${steps.join('"]["')}"]`]);
          const isField = (name: string) => fields.has(name);
          expect(parseFieldPath(formatFieldPath(steps, isField), isField)).toEqual(steps);
        },
      ),
      { numRuns: chooseRuns(1000, 10_000) },
    );
  });

  it.each<[string, FieldTarget | null]>([
    ["scan", { path: ["scan"], of: "value" }],
    ["scan{text}", { path: ["scan"], of: "blob" }],
    ["attachments[2]{text}", { path: ["attachments", 2], of: "blob" }],
    ["scan.text", { path: ["scan", "text"], of: "value" }],
    ['scan["{text}"]', { path: ["scan", "{text}"], of: "value" }],
    ['["scan{text}"]', { path: ["scan{text}"], of: "value" }],
    ["{text}", null],
    ["scan{text}.a", null],
    ["scan{text}{text}", null],
    ["scan.{text}", null],
    ["scan{TEXT}", null],
  ])("[BIG-2] %s is a value or the text of a blob, never both", (text, meant) =>
    expect(parseFieldTarget(text)).toEqual(meant),
  );

  it("[BIG-2] the text of a blob never looks like a value, among any top-level fields", () => {
    fc.assert(
      fc.property(target, fc.array(key, { maxLength: 8 }), fc.boolean(), (meant, names, hostile) => {
        expect(parseFieldTarget(formatFieldTarget(meant))).toEqual(meant);
        const { path: steps } = meant;
        const taken = hostile
          ? [
              steps[0],
              formatFieldTarget(meant),
              `${steps[0]}{text}`,
              `["${steps.join('"]["')}"]`,
              `["${steps.join('"]["')}"]{text}`,
            ]
          : [];
        const fields = new Set([...names, ...taken]);
        const isField = (name: string) => fields.has(name);
        expect(parseFieldTarget(formatFieldTarget(meant, isField), isField)).toEqual(meant);
      }),
      { numRuns: chooseRuns(1000, 10_000) },
    );
    const isField = (name: string) => ["a.b", "a.b{text}"].includes(name);
    expect(parseFieldTarget("a.b{text}", isField)).toEqual({ path: ["a.b{text}"], of: "value" });
    expect(formatFieldTarget({ path: ["a.b"], of: "blob" }, (name) => name === "a.b")).toBe("a.b{text}");
    expect(formatFieldTarget({ path: ["a.b"], of: "blob" }, isField)).toBe('["a.b"]{text}');
  });

  it("prefer a top-level key with the same text", () => {
    expect(parseFieldPath("a.b", (name) => name === "a.b")).toEqual(["a.b"]);
    expect(formatFieldPath(["a.b"], (name) => name === "a.b")).toBe("a.b");
    expect(formatFieldPath(["a", "b"], (name) => name === "a.b")).toBe('["a"]["b"]');
    expect(formatFieldPath(["a", "b"], (name) => ["a.b", '["a"]["b"]'].includes(name))).toBe('[ "a" ][ "b" ]');
  });
});

describe("[WIN-6] values", () => {
  const data: JsonObject = { a: { b: [{ c: "deep" }, null], "x.y": 1 }, t: "text", n: null };

  it.each<[string, Json | undefined]>([
    ["a.b[0].c", "deep"],
    ['a["x.y"]', 1],
    ["a.b[1]", null],
    ["a.b[2]", undefined],
    ["a.b.0", undefined],
    ["a[0]", undefined],
    ["t[0]", undefined],
    ["t.length", undefined],
    ["n.a", undefined],
    ["a.b.length", undefined],
    ["toString", undefined],
    ["a.constructor", undefined],
  ])("%s is %j", (text, value) => expect(getValue(data, parseFieldPath(text)!)).toEqual(value));

  it("are found at any depth", () => {
    const places = (value: Json, at: (string | number)[]): (string | number)[][] => {
      if (Array.isArray(value)) return [at, ...value.flatMap((item, i) => places(item, [...at, i]))];
      if (typeof value !== "object" || value === null) return [at];
      return [at, ...Object.keys(value).flatMap((name) => places(value[name]!, [...at, name]))];
    };
    fc.assert(
      fc.property(fc.dictionary(key, fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>), (record) => {
        for (const steps of places(record, []).filter((each) => each.length > 0)) {
          const found = getValue(record, parseFieldPath(formatFieldPath(steps as unknown as FieldPath))!);
          const expected = steps.reduce<Json>((value, step) => (value as Record<string | number, Json>)[step]!, record);
          expect(found).toBe(expected);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
