import { dropDatabase } from "@pdpp/test-support/postgres/copy-database";
import { copyGolden, goldenNames, readGoldenContents } from "@pdpp/test-support/vaults/golden-vaults";
import { createVault, engineNames, type VaultPlace } from "@pdpp/test-support/vaults/new-vault";
import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import { expect, it } from "vitest";
import { enlargeVault } from "./enlarge-vault.ts";
import { type KillReport, killUpgrades } from "./kill-upgrades.ts";

const [oldest = ""] = goldenNames;
const kills = chooseRuns(3, 50);
const copies = chooseRuns(100, 2000);

const sizes: readonly [string, (place: VaultPlace) => Promise<unknown>][] = [
  [oldest, (place) => copyGolden(oldest, place)],
  [
    `${oldest} with many records`,
    async (place) => {
      await copyGolden(oldest, place);
      expect(await enlargeVault(place, copies)).toBeGreaterThan(5 * copies);
    },
  ],
];

it.each(engineNames.flatMap((engine) => sizes.map(([name, put]) => [name, engine, put] as const)))(
  `[KEEP-8] loses nothing when the upgrade of %s on %s is killed, ${kills} times over`,
  async (_name, engine, put) => {
    let report: KillReport | undefined;
    const vault = await createVault(engine, undefined, async (source) => {
      await put(source);
      const { databaseUrl } = source;
      const place = {
        dataDir: `${source.dataDir}-upgraded`,
        ...(databaseUrl === undefined ? {} : { databaseUrl: `${databaseUrl}_upgraded` }),
      };
      try {
        report = await killUpgrades({ source, place, clients: readGoldenContents(oldest).clients, kills });
      } finally {
        if (place.databaseUrl !== undefined) await dropDatabase(place.databaseUrl);
      }
    });
    await vault.drop();
    expect(report?.problems).toEqual([]);
    expect(report).toMatchObject({ compared: expect.toSatisfy((n: number) => n > 0) });
    expect((report?.before ?? 0) + (report?.after ?? 0)).toBe(kills);
  },
);
