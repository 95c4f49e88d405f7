import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { mutations } from "../../programs/mutations/list.ts";

it.each(mutations)("[MEAS-4] the deliberate fault has its place in the tree: $name", (mutation) => {
  const text = readFileSync(new URL(`../../${mutation.file}`, import.meta.url), "utf8");
  for (const { find } of [mutation, ...(mutation.also ?? [])]) expect(text.split(find)).toHaveLength(2);
});
