import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadVault } from "../model/loaded-vault.ts";
import { grantByConsent } from "./by-consent.ts";
import { createTally } from "./client.ts";
import { runSilently } from "./hosts/silence.ts";
import { checkRebuilt } from "./prove.ts";
import { walkRest } from "./rest-walk.ts";
import { buildHostileVault, drawHostileBlueprint } from "./vaults/hostile-vault.ts";

const seed = Number(process.env.PDPP_PROOF_SEED ?? 11);

describe("[PAG-8] a walker whose grants were approved on the consent page", () => {
  it.each([
    ["sqlite", chooseRuns(8, 60)],
    ["postgres", chooseRuns(2, 10)],
  ] as const)(
    "reads exactly what the owner selected, and the page promised nothing else, on %s",
    async (engine, count) => {
      const tally = createTally();
      let consents = 0;
      for (const [n, { spec, grants }] of fc
        .sample(drawHostileBlueprint(12), { seed, numRuns: count })
        .map(buildHostileVault)
        .entries()) {
        const vault = await loadVault(engine, spec);
        try {
          for (const [i, wanted] of grants.entries()) {
            const given = await grantByConsent(vault, spec, wanted, seed + 100 * n + i + 1, tally);
            if (given === undefined) continue;
            const { client, promised } = given;
            consents += 1;
            const { all, allowed } = client.marks;
            expect([...all].filter((mark) => !allowed.has(mark) && promised.includes(mark))).toEqual([]);
            await runSilently(async () => checkRebuilt(client, await walkRest(client), "REST", []));
          }
        } finally {
          await vault.drop();
        }
      }
      expect(consents).toBeGreaterThan(count / 2);
      expect(tally.records).toBeGreaterThan(count);
    },
  );
});
