import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createTally } from "../client.ts";
import { drawHostileBlueprint } from "../vaults/hostile-vault.ts";
import { proveConsole } from "./prove.ts";
import { buildConsoleVault } from "./vault.ts";

/** The short form of `npm run proof -- --console`. */

const seed = Number(process.env.PDPP_PROOF_SEED ?? 13);

describe("[CSL-70] [CSL-71] [CSL-153] a walker in the console, as the owner and under impersonated grants", () => {
  it.each([
    ["sqlite", chooseRuns(3, 30)],
    ["postgres", chooseRuns(2, 6)],
  ] as const)(
    "rebuilds everything the grant allows, sees nothing else, and no record text becomes an element, on %s",
    async (engine, count) => {
      const tally = createTally();
      const drawn = fc.sample(drawHostileBlueprint(12), { seed, numRuns: count });
      for (const blueprint of drawn) await proveConsole(buildConsoleVault(blueprint), engine, tally);
      expect(tally.vaults).toBe(count);
      expect(tally.records).toBeGreaterThan(count);
      expect(tally.characters).toBeGreaterThan(1000 * count);
      for (const view of ["explore", "day", "calendar", "photos", "money", "places", "people", "record"])
        expect([...tally.views]).toEqual(expect.arrayContaining([`as ${view}`, `own ${view}`]));
      expect([...tally.views]).toEqual(expect.arrayContaining(["own go", "own activity", "own person", "as person"]));
    },
  );
});
