import fc from "fast-check";
import { expect, it } from "vitest";
import { diffWords } from "./word-diff.ts";

const shown = (before: string, after: string): string =>
  diffWords(before, after)
    .map(({ kind, text }) => (kind === "same" ? text : kind === "gone" ? `[-${text}-]` : `[+${text}+]`))
    .join("");

it("[CSL-14] marks only the words that differ", () => {
  expect(shown("first words", "second words")).toBe("[-first-][+second+] words");
  expect(shown("a b c d", "a c d e")).toBe("a [-b -]c d[+ e+]");
  expect(shown("same", "same")).toBe("same");
  expect(shown("", "new")).toBe("[+new+]");
  expect(shown("one two three", "eins zwei three")).toBe("[-one two-][+eins zwei+] three");
});

it("[CSL-14] can reconstruct both texts from the diff", () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "c", " ", "\n", "word", "é🎂"), { maxLength: 40 })
    .map((all) => all.join(""));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const pieces = diffWords(before, after);
      const without = (kind: "gone" | "new") =>
        pieces
          .filter((piece) => piece.kind !== kind)
          .map((piece) => piece.text)
          .join("");
      expect([without("new"), without("gone")]).toEqual([before, after]);
    }),
    { seed: 20261117, numRuns: 500 },
  );
});

it("[CSL-14] treats long texts with nothing in common as one change", () => {
  const [before, after] = ["a", "b"].map((letter) =>
    Array.from({ length: 20_000 }, (_, i) => `${letter}${i}`).join(" "),
  );
  expect(diffWords(before ?? "", after ?? "").map(({ kind }) => kind)).toEqual(["gone", "new"]);
});
