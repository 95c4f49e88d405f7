import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { mutations } from "../../programs/mutations/list.ts";

it.each(mutations)("[MEAS-4] finds exactly one place for the deliberate bug: $name", (mutation) => {
  const text = readFileSync(new URL(`../../${mutation.file}`, import.meta.url), "utf8");
  for (const { find } of [mutation, ...(mutation.also ?? [])]) expect(text.split(find)).toHaveLength(2);
});
