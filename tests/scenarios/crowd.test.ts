import { describe, expect, it } from "vitest";
import { besideTheWorst } from "../../programs/attack/crowd.ts";
import { engineNames, newVault } from "../support/vaults.ts";

/** The short form of the attack "keeping the server busy": fewer records, and bounds that hold while other tests run beside it. */

describe.each(engineNames)("one client does its worst on %s", (engine) => {
  it("[FAIR-2] [FAIR-3] [FAIR-4] and another goes on reading", async () => {
    const vault = await newVault(engine);
    try {
      const { dataDir, databaseUrl } = vault;
      const target = { engine, dataDir, ...(databaseUrl === undefined ? {} : { databaseUrl }) };
      const size = { notes: 3000, mails: 1, mailBytes: 3_000_000, seconds: 3 };
      const { readMs, healthMs, deeds } = await besideTheWorst(target, size);
      expect(deeds).toBeGreaterThan(10);
      expect(readMs.count).toBeGreaterThan(20);
      expect(readMs.p50).toBeLessThan(200);
      expect(readMs.p99).toBeLessThan(2000);
      expect(healthMs.p99).toBeLessThan(1000);
    } finally {
      await vault.drop();
    }
  });
});
