import { describe, expect, it } from "vitest";
import { engineNames } from "../support/vaults.ts";
import { fuzz } from "./fuzz.ts";

describe("[TOOL-5] whatever is sent to a tool or a route", () => {
  it.each(engineNames)(
    "[AUT-6] [HOST-2] is answered, or refused by a typed error, on %s",
    async (engine) => {
      const tally = await fuzz(engine === "sqlite" ? 1500 : 400, 5, engine, () => true);
      expect(tally.results).toBeGreaterThan(30);
      expect(tally.refused).toBeGreaterThan(100);
    },
    60_000,
  );
});
