import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { copyGolden, goldenNames, readGoldenContents } from "@pdpp/test-support/vaults/golden-vaults";
import { createVault, type EngineName, engineNames, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createBackup, restore, verifyBackup } from "#server/backup/backup";
import { raw } from "#server/store/engine/sql";
import { openEngine } from "#server/store/store";
import { readText, wrapVault } from "../model/loaded-vault.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pdpp-old-backup-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The oldest and the newest, unless there is time for all. */
const names = goldenNames.filter((_, n) => n % chooseRuns(goldenNames.length - 1, 1) === 0);

const routes = names.flatMap((name) =>
  engineNames.flatMap((from) => engineNames.map((to) => [name, from, to] as const)),
);

it.each(routes)(
  "[BAK-7] backs up a vault of %s on %s that was never opened, and restores it on %s",
  async (name, from, to) => {
    const file = join(folder, "old.pdpp");
    await backUpUnopened(name, from, file);
    const { header } = await verifyBackup(file);
    expect(`schema-${header.schema_version}`).toBe(name);
    const restored = await createVault(to, undefined, async (place) => void (await restore(place, file, [])));
    const opened = await createVault(from, undefined, (place) => copyGolden(name, place));
    try {
      const [after, before] = [await readClients(restored, name), await readClients(opened, name)];
      expect(before.some((text) => text.length > 1000)).toBe(true);
      expect(after).toEqual(before);
    } finally {
      await restored.drop();
      await opened.drop();
    }
  },
);

/** `createVault` opens what it creates, so the old vault takes the place of a new one after that. */
async function backUpUnopened(name: string, engine: EngineName, file: string): Promise<void> {
  const vault = await createVault(engine, undefined, async (place) => {
    await copyGolden(name, place);
    await createBackup(place, file);
    expect(await readSchema(place)).toBe(name.replace("schema-", ""));
  });
  await vault.drop();
}

async function readSchema(place: Pick<TestVault, "dataDir" | "databaseUrl">): Promise<string | undefined> {
  const engine = openEngine(place);
  try {
    const row = await engine.read((on) =>
      on.one<{ value: string }>(raw("SELECT value FROM meta WHERE name = 'schema_version'")),
    );
    return row?.value;
  } finally {
    await engine.close();
  }
}

async function readClients(vault: TestVault, name: string): Promise<string[]> {
  await vault.store.reindex();
  const loaded = wrapVault(vault);
  const texts: string[] = [];
  for (const { token } of readGoldenContents(name).clients) {
    const answer = await loaded.get(token, "/v1/export");
    texts.push(`${answer.status} ${answer.status === 200 ? readText(answer) : ""}`);
  }
  return texts;
}
