import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import { describe, expect, it } from "vitest";
import { generators, variedFormats } from "../importers/generators/all.ts";
import { createTally } from "./client.ts";
import { proveLoaded } from "./prove.ts";
import { createImportedVault } from "./vaults/imported-vault.ts";

/** Formats whose canaries appear in what is granted. */
const marked = new Set(["mail-files", "telegram", "icalendar", "notion"]);
const chosen = generators.filter(({ importer: { key } }) => chooseRuns(0, 1) === 1 || variedFormats.has(key));

describe("[IMP-16] a vault filled by importing", () => {
  it.each(chosen.map((generator) => [generator.importer.key, generator] as const))(
    "rebuilds everything granted from %s and shows nothing else",
    async (_, generator) => {
      const { vault, spec, grants } = await createImportedVault("sqlite", generator, 11);
      const tally = createTally();
      try {
        await proveLoaded(vault, { spec, grants }, tally);
      } finally {
        await vault.drop();
      }
      expect(tally.records).toBeGreaterThan(0);
      expect(tally.characters).toBeGreaterThan(100);
      if (marked.has(generator.importer.key)) expect(tally.canaries).toBeGreaterThan(0);
    },
  );
});
