import { detect } from "@pdpp/importers/plan";
import { createRandom } from "@pdpp/test-support/vitest/random";
import { expect, it } from "vitest";
import { formats } from "#importers/formats/formats";
import { generators } from "../generators/all.ts";
import { createMemoryTree } from "../support.ts";

it("[IMP-1] every format has a generator, and is detected by content", async () => {
  expect(generators.map(({ importer }) => importer.key).sort()).toEqual(formats.map(({ key }) => key).sort());
  for (const generator of generators) {
    const { claims } = await detect(
      createMemoryTree(generator.pair(createRandom(7), 8).older, Date.UTC(2026, 0, 1)),
      formats,
    );
    expect([...new Set(claims.map(({ importer }) => importer.key))]).toEqual([generator.importer.key]);
  }
});
