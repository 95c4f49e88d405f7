import { engineNames } from "@pdpp/test-support/vaults/new-vault";
import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import { describe, expect, it } from "vitest";
import { runFuzz } from "./fuzz.ts";

describe("[TOOL-5] any input to a tool or a route", () => {
  it.each(engineNames)("[AUT-6] [HOST-2] is answered or rejected with a typed error, on %s", async (engine) => {
    const tally = await runFuzz(
      engine === "sqlite" ? chooseRuns(800, 8000) : chooseRuns(300, 1500),
      5,
      engine,
      () => true,
    );
    expect(tally.results).toBeGreaterThan(30);
    expect(tally.refused).toBeGreaterThan(100);
  });
});
