import { hasLabelledStores, readLabelledStores } from "@pdpp/test-support/vaults/labelled-stores";
import { createVault, engineNames } from "@pdpp/test-support/vaults/new-vault";
import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import { describe, expect, it } from "vitest";
import { askSet, computeRankFigure } from "./labelled-questions.ts";

describe.skipIf(!hasLabelledStores)("labelled questions (skipped: ../shared/retrieval is not here)", () => {
  // Both engines give the same hits (engines.test.ts), so `npm test` runs one of them.
  it.each(engineNames.slice(0, chooseRuns(1, 2)))(
    "[SRCH-9] reach the expected recall@10 and MRR on %s",
    async (engine) => {
      const vault = await createVault(engine);
      try {
        const { answers, refused } = await askSet(vault.store, readLabelledStores("longmemeval-dev"));
        const { recall_10, mrr, questions } = computeRankFigure(answers);
        console.log(
          `${engine}: recall@10 ${(100 * recall_10).toFixed(1)} %, MRR ${mrr.toFixed(3)}, ${questions} questions`,
        );
        expect(refused).toBe(0);
        expect(recall_10).toBeGreaterThanOrEqual(0.85);
        expect(mrr).toBeGreaterThanOrEqual(0.65);
      } finally {
        await vault.drop();
      }
    },
  );
});
