import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareNames } from "./similar-names.ts";

describe("similar names", () => {
  it.each([
    ["Noor Achterwald", "noor achterwald", 3],
    ["Noor Achterwald", "N. Achterwald", 2],
    ["Achterwald, Noor", "Noor Achterwald", 2],
    ["Noor Achterwald", "Noor", 1],
    ["Noor Achterwald", "Nora Achterberg", 0],
    ["Noor Achterwald", "N. A.", 0],
    ["Jo", "Jo Brambleby", 0],
    ["", "Noor", 0],
  ] as const)("[CSL-97] compares %j with %j", (a, b, likeness) => {
    expect(compareNames(a, b)).toBe(likeness);
  });

  it("[CSL-97] is symmetric for any text", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        fc.string({ unit: "binary" }),
        (a, b) => compareNames(a, b) === compareNames(b, a),
      ),
    );
  });
});
