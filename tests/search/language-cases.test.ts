import { describe, expect, it } from "vitest";
import { cases as howMany } from "../support/long-runs.ts";
import { hasLanguageCases, languageCases, notesReader } from "../support/retrieval.ts";
import { engineNames, newVault } from "../support/vaults.ts";
import { finderOf, missedCases } from "./labelled-questions.ts";

/** The share of the cases that must be answered as they should be: what the last change reached. */
const floor = 0.719;

describe.skipIf(!hasLanguageCases())("language cases (skipped: ../shared/retrieval is not here)", () => {
  // Both engines give the same hits (engines.test.ts), so npm test asks one of them.
  it.each(engineNames.slice(0, howMany(1, 2)))("[SRCH-10] are answered from %s", async (engine) => {
    const vault = await newVault(engine);
    try {
      const asked = languageCases();
      const missed = await missedCases(asked.cases, finderOf(await notesReader(vault.store, asked)));
      const found = 1 - missed.length / asked.cases.length;
      const misses = missed.map(
        (miss) => `${miss.asked.class}: ${miss.asked.q} -> ${miss.found.slice(0, 5).join(", ")}`,
      );
      console.log(`${engine}: ${(100 * found).toFixed(1)} % of ${asked.cases.length} language cases`);
      expect(found, `missed, with what was found instead:\n${misses.join("\n")}`).toBeGreaterThanOrEqual(floor);
    } finally {
      await vault.drop();
    }
  });
});
