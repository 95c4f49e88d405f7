import { join } from "node:path";
import { createVault, surfaceEngines } from "@pdpp/test-support/vaults/new-vault";
import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import { describe, expect, it } from "vitest";
import { stopUnderLoad } from "../../../programs/attack/stops/stop-rounds.ts";

/** The short form of the "stopping the server under load" attack. */

describe.each(surfaceEngines)("a server under load on %s", (engine) => {
  it.each(["SIGTERM", "SIGKILL"] as const)(
    "[KEEP-6] [LOG-1] leaves a complete vault that opens after %s",
    async (signal) => {
      const vault = await createVault(engine);
      try {
        // The vault of the test stays open, so on SQLite the server gets another one.
        const dataDir = join(vault.dataDir, "served");
        const { databaseUrl } = vault;
        const target = { engine, dataDir, ...(databaseUrl === undefined ? {} : { databaseUrl }) };
        const plan = { signal, rounds: chooseRuns(3, 20), notes: 500, maxLoadMs: 4000 };
        const { problems, confirmed } = await stopUnderLoad(target, plan);
        expect(problems).toEqual([]);
        expect(confirmed.received).toBeGreaterThan(0);
      } finally {
        await vault.drop();
      }
    },
  );
});
