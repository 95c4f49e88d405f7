import { createVault, surfaceEngines } from "@pdpp/test-support/vaults/new-vault";
import { describe, expect, it } from "vitest";
import { measureUnderLoad } from "../../programs/attack/crowd/crowd.ts";

/** The short form of the "keeping the server busy" attack: fewer records, and ratios instead of times. */

describe.each(surfaceEngines)("a client that overloads the server on %s", (engine) => {
  it("[FAIR-2] [FAIR-3] [FAIR-4] does not stop another from reading", async () => {
    const vault = await createVault(engine);
    try {
      const { dataDir, databaseUrl } = vault;
      const target = { engine, dataDir, ...(databaseUrl === undefined ? {} : { databaseUrl }) };
      const size = { notes: 3000, mails: 1, mailBytes: 3_000_000, seconds: 3 };
      const { readMs, healthMs, deeds } = await measureUnderLoad(target, size);
      expect(deeds).toBeGreaterThan(0);
      expect(readMs.count).toBeGreaterThanOrEqual(30);
      // Compares with an answer that reads nothing, so that a busy machine slows both.
      expect(readMs.p50).toBeLessThan(50 * Math.max(1, healthMs.p50));
    } finally {
      await vault.drop();
    }
  });
});
