import { expect, it } from "vitest";
import { h1, Occurrences } from "./identity.ts";

it("[IMP-3] ids stay what they were: the recipe h1 never changes", () => {
  expect(h1("whatsapp", "Ada")).toBe("h1_036954efe90a127e8a66348e41495b164c902c60");
  expect(h1("ключ 🗝️", 7, null, undefined, "")).toBe("h1_ead171da889e7855f5e8b126d0f1706da5fb400b");
  expect(h1("half \ud800", -1.5)).toBe("h1_82be1ee5bc0fcd29de524846884562a492faf7c8");
  expect(h1("ab", "c")).not.toBe(h1("a", "bc"));
  expect(h1(null)).not.toBe(h1(""));
});

it("[IMP-3] equal things are numbered, and the first of them is not", () => {
  const occurrences = new Occurrences();
  expect(["a", "b", "a", "a"].map((id) => occurrences.of(id))).toEqual(["a", "b", "a_2", "a_3"]);
});
