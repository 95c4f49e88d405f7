import { describe, expect, it } from "vitest";
import { cases } from "../support/long-runs.ts";
import { engineNames } from "../support/vaults.ts";
import { fuzz } from "./fuzz.ts";

describe("[TOOL-5] whatever is sent to a tool or a route", () => {
  it.each(engineNames)(
    "[AUT-6] [HOST-2] is answered, or refused by a typed error, on %s",
    async (engine) => {
      const tally = await fuzz(engine === "sqlite" ? cases(800, 8000) : cases(300, 1500), 5, engine, () => true);
      expect(tally.results).toBeGreaterThan(30);
      expect(tally.refused).toBeGreaterThan(100);
    },
    cases(60_000, 600_000),
  );
});
