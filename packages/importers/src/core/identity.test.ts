import { expect, it } from "vitest";
import { deriveId, Occurrences } from "./identity.ts";

it("[IMP-3] derives the same ids as ever: the h1 algorithm never changes", () => {
  expect(deriveId("whatsapp", "Ada")).toBe("h1_036954efe90a127e8a66348e41495b164c902c60");
  expect(deriveId("ключ 🗝️", 7, null, undefined, "")).toBe("h1_ead171da889e7855f5e8b126d0f1706da5fb400b");
  expect(deriveId("half \ud800", -1.5)).toBe("h1_82be1ee5bc0fcd29de524846884562a492faf7c8");
  expect(deriveId("ab", "c")).not.toBe(deriveId("a", "bc"));
  expect(deriveId(null)).not.toBe(deriveId(""));
});

it("[IMP-3] numbers duplicates except for the first one", () => {
  const occurrences = new Occurrences();
  expect(["a", "b", "a", "a"].map((id) => occurrences.number(id))).toEqual(["a", "b", "a_2", "a_3"]);
});
