import { expect, it } from "vitest";
import { cleanValue, dropNulls } from "./clean.ts";

it("[IMP-11] keeps __proto__ as an ordinary property", () => {
  const foreign: Record<string, unknown> = JSON.parse(
    '{"a": {"__proto__": {"isAdmin": true}}, "__proto__": 1, "n": null}',
  );
  const kept = '{"a":{"__proto__":{"isAdmin":true}},"__proto__":1';
  expect(JSON.stringify(cleanValue(foreign))).toBe(`${kept},"n":null}`);
  expect(JSON.stringify(dropNulls(foreign))).toBe(`${kept}}`);
});
