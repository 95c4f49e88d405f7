import { measureGrowth } from "@pdpp/test-support/processes/cpu-time";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { JsonObject } from "./declaration.ts";
import { compileLinearPattern } from "./linear-pattern.ts";
import { compileRecordCheck, parseManifest, parseStoredManifest } from "./manifest.ts";

const manifestWith = (pattern: string): JsonObject => ({
  connector_key: "x",
  version: "1",
  streams: [
    {
      name: "s",
      primary_key: ["id"],
      schema: { type: "object", properties: { id: { type: "string" }, it: { type: "string", pattern } } },
    },
  ],
});

it.each(["^(a+)+$", "^(a|aa)+$", "^(a|a)*$", "^(.*a){20}$", "(x+x+)+y", "^([a-z]+)*[A-Z]$"])(
  "[WRT-6] %s is matched in linear time, whatever the text",
  async (pattern) => {
    const stream = parseManifest(manifestWith(pattern)).streams[0]!;
    const check = compileRecordCheck(stream);
    const match = (length: number) => () =>
      expect(check({ id: "a", it: `${"a".repeat(length)}!` })).toMatchObject({ refused: /must match pattern/ });
    match(30)();
    expect(await measureGrowth(match(10_000), match(100_000))).toBeLessThan(50);
  },
);

it.each(["(?=a)b", "(?!a)b", "(?<=a)b", "(?<!a)b", "(a)\\1", "(?<n>a)\\k<n>", "^.{0,2000}$"])(
  "[WRT-6] %s is refused, and the error says why",
  (pattern) => {
    expect(() => parseManifest(manifestWith(pattern))).toThrow(/properties\.it\.pattern.*cannot be matched in time/s);
  },
);

it("[WRT-6] a vault that has such a pattern from before opens, and does not check it", () => {
  const stream = parseStoredManifest(JSON.stringify(manifestWith("^(?=a)(a+)+$"))).streams[0]!;
  expect(compileRecordCheck(stream)({ id: "a", it: `${"a".repeat(40)}!` })).toBeNull();
});

const patterns = [
  "^\\d{4}-\\d{2}$",
  "^[^\\s@]+@[^\\s@]+\\.[a-z]{2,}$",
  "^\\S+$",
  "[\\s\\S]",
  "[^\\s]x",
  "^.*$",
  "^[\\w-.]+\\-$",
  "\\bfoo\\b",
  "^(?:a|b)*?c",
  "^(?<year>\\d+)$",
  "\\u00e9|\\x41|\\cJ|\\/",
  "^\\p{L}+$",
  "\\p{Script=Greek}",
  "\\P{Lu}",
  "[]",
  "[^]",
  "[\\b]",
  "a.b",
  "[.]",
  "^$",
  "",
  "x{2,3}",
  "[[:alpha:]]",
  "\\A\\z",
  "[\\Q]",
];

it("[WRT-6] matches what the language's own regular expressions match", () => {
  const pieces = fc.constantFrom(
    "a",
    "b",
    "foo",
    " ",
    "\t",
    "\n",
    "\r",
    "\u2028",
    "\u00a0",
    "\ufeff",
    "@",
    ".",
    "-",
    "é",
    "Ω",
    "Z",
    "9",
    "2026-01",
    "😀",
    "\b",
    "x",
    "A",
    "/",
  );
  const text = fc.array(pieces, { maxLength: 8 }).map((list) => list.join(""));
  fc.assert(
    fc.property(fc.constantFrom(...patterns), text, (pattern, value) => {
      const own = (() => {
        try {
          return new RegExp(pattern, "u");
        } catch {
          return new RegExp(pattern);
        }
      })();
      expect(compileLinearPattern(pattern).test(value)).toBe(own.test(value));
    }),
    { numRuns: 3000 },
  );
});
