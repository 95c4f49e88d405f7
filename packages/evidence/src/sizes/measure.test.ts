import { expect, it } from "vitest";
import { measureAsJson } from "./measure.ts";

it("measures a part as the JSON it is sent as", () => {
  const group = { key: "café", count: 3 };
  const { jsonBytes } = measureAsJson({ kind: "group", group });
  expect(jsonBytes).toBe(new TextEncoder().encode(`${JSON.stringify({ group })},`).length);
});
