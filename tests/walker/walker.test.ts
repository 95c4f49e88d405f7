import { engineNames } from "@pdpp/test-support/vaults/new-vault";
import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadVault } from "../model/loaded-vault.ts";
import { checkExchange } from "./checks/exchange-checks.ts";
import { createClientFor, createTally, mayFail } from "./client.ts";
import type { Call, Exchange } from "./hosts/mcp-host.ts";
import { startStdio } from "./hosts/stdio.ts";
import { proveLife } from "./life.ts";
import { checkRebuilt, proveVault } from "./prove.ts";
import { followBytes } from "./rest-walk.ts";
import type { Rebuilt } from "./results/rebuilt.ts";
import { buildHostileVault, drawHostileBlueprint } from "./vaults/hostile-vault.ts";
import { walk } from "./walk.ts";

/**
 * The short form of `npm run proof`. A failure names the seed and the vault: `npm run proof -- --seed S --only N`.
 */

const seed = Number(process.env.PDPP_PROOF_SEED ?? 7);
const drawn = (count: number) => fc.sample(drawHostileBlueprint(16), { seed, numRuns: count }).map(buildHostileVault);

describe("[MEAS-4] [HOST-1] [CLI-1] a walker that sees one form of the results, REST, or command output", () => {
  it.each([
    ["sqlite", chooseRuns(5, 30)],
    ["postgres", chooseRuns(2, 6)],
  ] as const)(
    "[HND-1] [HND-8] [AUT-4] [WIN-3] [HOST-3] [FET-6] [BIG-1] [HND-5] rebuilds everything the grant allows and sees nothing else, on %s",
    async (engine, count) => {
      const tally = createTally();
      for (const vault of drawn(count)) await proveVault(vault, engine, tally);
      expect(tally.vaults).toBe(count);
      expect(tally.characters).toBeGreaterThan(10_000);
    },
  );

  it("[SET-3] [SET-4] walks the same over stdio in another process, which logs nothing it reads", async () => {
    for (const { spec, grants } of drawn(chooseRuns(1, 3))) {
      const vault = await loadVault("sqlite", spec);
      const client = await createClientFor(vault, spec, grants[0]!, createTally());
      const stdio = await startStdio(vault, client.token);
      const call = async (next: Call) => {
        const exchange = await stdio.call(next);
        checkExchange(exchange, client.marks);
        return exchange;
      };
      const failed: Call[] = [];
      const noted = (exchange: Exchange) => mayFail(exchange) && failed.push(exchange.call) > 0;
      try {
        const get = (url: string, into: Rebuilt) => followBytes(client, url, into);
        const { rebuilt } = await walk({ host: "content", call, get, mayFail: noted });
        checkRebuilt(client, rebuilt, "stdio", failed);
        expect(stdio.log()).toBe("");
      } finally {
        await stdio.stop();
        await vault.drop();
      }
    }
  });

  it.each(engineNames)(
    "[WIN-4] [AUT-5] continues across restarts and writes, and stops when the grant ends, on %s",
    async (engine) => {
      const tally = createTally();
      for (const vault of drawn(engine === "sqlite" ? chooseRuns(2, 6) : chooseRuns(1, 3)))
        await proveLife(vault, engine, tally);
      expect(tally.lives).toBeGreaterThan(0);
    },
  );
});
