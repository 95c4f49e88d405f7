import { parseManifest } from "@pdpp/contract/manifest";
import { describe, expect, it } from "vitest";
import { authenticate } from "#server/auth/authenticate";
import { issueGrant } from "#server/auth/issue";
import { addConnection } from "#server/owner/connections";
import { createReader } from "#server/read/reader";
import { cases } from "../support/long-runs.ts";
import { hasLabelledStores, labelledStores, turnsManifest } from "../support/retrieval.ts";
import { put } from "../support/sample.ts";
import { engineNames, newVault } from "../support/vaults.ts";

describe.skipIf(!hasLabelledStores)("labelled questions (skipped: ../shared/retrieval is not here)", () => {
  // Both engines give the same hits (engines.test.ts), so npm test asks one of them.
  it.each(engineNames.slice(0, cases(1, 2)))(
    "[SRCH-9] are answered from %s: recall@10 and MRR",
    { timeout: 300_000 },
    async (engine) => {
      const vault = await newVault(engine);
      try {
        const { store } = vault;
        await store.register(parseManifest(turnsManifest), 0);
        let recall = 0;
        let reciprocal = 0;
        let asked = 0;
        for (const { id, docs, queries } of labelledStores("longmemeval-dev")) {
          await addConnection(store, 1, { connectorKey: "turns", id }, 0);
          await put(
            vault,
            id,
            "turns",
            docs.map(({ id: key, text, who }) => ({ data: { id: key, text, who } })),
          );
          const { token } = await issueGrant(
            store,
            1,
            {
              client: { name: "t" },
              sources: [{ connector_key: "turns", streams: [{ name: "turns", connection_ids: [id] }] }],
            },
            0,
          );
          const reader = createReader({ store, scope: await authenticate(store, token, 1) });
          for (const { q, gold } of queries) {
            const found = (await reader.search({ q, limit: 100 })).data.map(({ record_key }) => record_key);
            const wanted = Object.keys(gold);
            recall += wanted.filter((key) => found.slice(0, 10).includes(key)).length / wanted.length;
            const first = found.findIndex((key) => wanted.includes(key));
            if (first >= 0) reciprocal += 1 / (first + 1);
            asked += 1;
          }
        }
        console.log(
          `${engine}: recall@10 ${((100 * recall) / asked).toFixed(1)} %, MRR ${(reciprocal / asked).toFixed(3)}, ${asked} questions`,
        );
        expect(recall / asked).toBeGreaterThanOrEqual(0.85);
        expect(reciprocal / asked).toBeGreaterThanOrEqual(0.65);
      } finally {
        await vault.drop();
      }
    },
  );
});
