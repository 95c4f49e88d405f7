import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "@pdpp/server/store/store";
import { runPdpp } from "@pdpp/test-support/cli/run-pdpp";
import { fillDisk, mountSmallDisk } from "@pdpp/test-support/processes/small-disk";
import { copyGolden, goldenNames, readGoldenContents } from "@pdpp/test-support/vaults/golden-vaults";
import { createVault, type EngineName, engineNames, type VaultPlace } from "@pdpp/test-support/vaults/new-vault";
import { describe, expect, it } from "vitest";
import { raw } from "#server/store/engine/sql";
import { openEngine } from "#server/store/store";
import { readText, wrapVault } from "../../model/loaded-vault.ts";
import { readTables } from "./read-tables.ts";

const [oldest = ""] = goldenNames;

/** Makes the last statement of an upgrade fail, and undoes that. */
const lastStatementFails: Record<EngineName, { readonly put: readonly string[]; readonly remove: readonly string[] }> =
  {
    sqlite: {
      put: [
        "CREATE TRIGGER stop_upgrade BEFORE UPDATE ON meta WHEN old.name = 'catalog_revision' BEGIN SELECT RAISE(ABORT, 'injected'); END",
      ],
      remove: ["DROP TRIGGER stop_upgrade"],
    },
    postgres: {
      put: [
        "CREATE FUNCTION stop_upgrade() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'injected'; END $$",
        "CREATE TRIGGER stop_upgrade BEFORE UPDATE ON meta FOR EACH ROW WHEN (old.name = 'catalog_revision') EXECUTE FUNCTION stop_upgrade()",
      ],
      remove: ["DROP TRIGGER stop_upgrade ON meta", "DROP FUNCTION stop_upgrade"],
    },
  };

async function runStatements(place: VaultPlace, statements: readonly string[]): Promise<void> {
  const engine = openEngine(place);
  try {
    await engine.write(async (on) => {
      for (const statement of statements) await on.run(raw(statement));
    });
  } finally {
    await engine.close();
  }
}

describe.each(engineNames)("an upgrade that fails in its last statement, on %s", (engine) => {
  it("[KEEP-3] leaves the vault to the earlier version, and succeeds when the cause is gone", async () => {
    const { put, remove } = lastStatementFails[engine];
    const vault = await createVault(engine, undefined, async (place) => {
      await copyGolden(oldest, place);
      await runStatements(place, put);
      const before = await readTables(place);
      for (let n = 0; n < 2; n += 1) {
        await expect(openStore(place)).rejects.toThrow(
          engine === "sqlite" ? /could not be upgraded from schema \d+ to \d+: injected.*unchanged/ : "injected",
        );
        expect(await readTables(place)).toBe(before);
      }
      await runStatements(place, remove);
    });
    try {
      await vault.store.reindex();
      const loaded = wrapVault(vault);
      for (const { token, isRevoked } of readGoldenContents(oldest).clients) {
        const answer = await loaded.get(token, "/v1/export");
        expect(answer.status).toBe(isRevoked ? 403 : 200);
        if (!isRevoked) expect(readText(answer).length).toBeGreaterThan(100);
      }
    } finally {
      await vault.drop();
    }
  });
});

it("[KEEP-3] [BAK-5] leaves the vault to the earlier version when the disk is full at any point of the upgrade", async (context) => {
  const disk = mountSmallDisk();
  if (disk === undefined) return context.skip("a small disk can be mounted by root only");
  const source = mkdtempSync(join(tmpdir(), "pdpp-old-"));
  try {
    await copyGolden(oldest, { dataDir: source });
    const before = await readTables({ dataDir: source });
    const dataDir = join(disk.path, "vault");
    let failures = 0;
    for (let spareBytes = 0; ; spareBytes += 128 * 1024) {
      rmSync(dataDir, { recursive: true, force: true });
      cpSync(source, dataDir, { recursive: true });
      fillDisk(disk.path, spareBytes);
      const { code, stderr } = await runPdpp(["connection", "list", "--data-dir", dataDir]);
      rmSync(join(disk.path, "filler"));
      if (code === 0) break;
      failures += 1;
      expect(stderr).toMatch(/cannot open the vault .*(full|space|disk I\/O)/);
      expect(stderr).not.toMatch(/internal error/);
      expect(await readTables({ dataDir })).toBe(before);
      const again = await runPdpp(["connection", "list", "--data-dir", dataDir]);
      expect([again.code, again.stderr]).toEqual([0, ""]);
    }
    expect(failures).toBeGreaterThan(3);
  } finally {
    disk.unmount();
    rmSync(source, { recursive: true, force: true });
  }
});
