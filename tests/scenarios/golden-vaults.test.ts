import { createOwner } from "@pdpp/server/owner/owner";
import {
  copyGolden,
  goldenNames,
  parseGoldenExport,
  readGoldenContents,
} from "@pdpp/test-support/vaults/golden-vaults";
import { createVault, engineNames } from "@pdpp/test-support/vaults/new-vault";
import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import { describe, expect, it } from "vitest";
import { readText, wrapVault } from "../model/loaded-vault.ts";
import { createTally } from "../walker/client.ts";
import { proveLoaded } from "../walker/prove.ts";

describe.each(goldenNames)("a stored vault of %s", (name) => {
  it.each(engineNames)(
    "[KEEP-2] [LOG-12] [LOG-14] opens, reads as before and can be walked completely, on %s",
    async (engine) => {
      const { spec, grants, clients } = readGoldenContents(name);
      const vault = await createVault(engine, undefined, (place) => copyGolden(name, place));
      try {
        await vault.store.reindex();
        const loaded = wrapVault(vault);
        const owner = createOwner({ store: vault.store, ownerNo: 1, now: Date.now });
        const listRequests = async () =>
          (await owner.log.read({ limit: 10_000 })).flatMap(({ request }) => request?.operation ?? []);
        const earlier = await listRequests();
        for (const { token, isRevoked, export: held } of clients) {
          const answer = await loaded.get(token, "/v1/export");
          expect(answer.status).toBe(isRevoked ? 403 : 200);
          if (!isRevoked) expect(parseGoldenExport(readText(answer))).toEqual(parseGoldenExport(held[engine]));
        }
        await vault.store.log.flush();
        expect(await owner.log.verify()).toMatchObject({ valid: true });
        const mine = clients.filter(({ isRevoked }) => !isRevoked).map(() => "export");
        // The newest come first.
        expect(await listRequests()).toEqual([...mine, ...earlier]);
        const tally = createTally();
        await proveLoaded(loaded, { spec, grants: grants.slice(0, chooseRuns(1, grants.length)) }, tally);
        expect(tally.records).toBeGreaterThan(10);
      } finally {
        await vault.drop();
      }
    },
  );
});
