import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, it } from "vitest";
import { quoteForShell } from "./continuation.ts";

const read = (words: readonly string[]): string[] =>
  execFileSync("/bin/sh", [], { input: `printf '%s\\0' ${words.map(quoteForShell).join(" ")}`, encoding: "utf8" })
    .split("\0")
    .slice(0, -1);

it("[CLI-2] a shell reads any word as it was meant, on one line", () => {
  // A shell has no word with a NUL, and a substitution loses the line ends at its end.
  const word = fc
    .string({ unit: "grapheme", maxLength: 12 })
    .chain((text) => fc.constantFrom(text, `-${text}\nx`, `--\u0007${text}`, `%s${text}\\n\u2028'"$(x)`))
    .filter((text) => !text.includes("\0") && !text.endsWith("\n"));
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 40 }), (words) => {
      expect(read(words)).toEqual(words.map((each) => each.toWellFormed()));
      for (const each of words) expect(quoteForShell(each)).not.toMatch(/[\n\r\u2028\u2029]/);
    }),
    { numRuns: 60 },
  );
});
