import { expect, test } from "vitest";
import { locateJsonError } from "./json-error.ts";

test.each([
  ["", 0],
  ["  ", 2],
  ["{", 1],
  ["[1,]", 3],
  ["[1 2]", 3],
  ['{"a":1,}', 7],
  ['{"a" 1}', 5],
  ['{"a":tru}', 5],
  ['["a\nb"]', 1],
  ["[01]", 2],
  ["[1}", 2],
  ["{} x", 3],
  ["{'a':1}", 1],
])("%j stops being JSON at %i", (text, at) => {
  expect(() => JSON.parse(text)).toThrow();
  expect(locateJsonError(text)).toBe(at);
});

test("does not overflow the stack on deeply nested text", () => {
  expect(locateJsonError("[".repeat(200_000))).toBe(0);
});
