import { createVault } from "@pdpp/test-support/vaults/new-vault";
import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import { describe, expect, it } from "vitest";
import { killBackfills } from "./killed-backfill.ts";
import { killIngests } from "./killed-ingest.ts";

describe.concurrent.each([
  { engine: "sqlite", kills: chooseRuns(5, 50), looks: 5 },
  { engine: "postgres", kills: chooseRuns(2, 10), looks: 2 },
] as const)("kill -9 on $engine", ({ engine, kills, looks }) => {
  it(`[accept 6] loses no acknowledged write and leaves no partial one, ${kills} times over`, async () => {
    const vault = await createVault(engine);
    try {
      expect(await killIngests(placeOf(vault), kills, looks)).toEqual([]);
    } finally {
      await vault.drop();
    }
  });

  it(`[WRT-3] leaves a manifest change that the next start completes, ${kills} times over`, async () => {
    const vault = await createVault(engine);
    try {
      expect(await killBackfills(placeOf(vault), kills)).toEqual([]);
    } finally {
      await vault.drop();
    }
  });
});

const placeOf = ({ dataDir, databaseUrl }: { readonly dataDir: string; readonly databaseUrl?: string }) => ({
  dataDir,
  ...(databaseUrl === undefined ? {} : { databaseUrl }),
});
