import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openStore } from "@pdpp/server/store/store";
import { copyGolden, goldenNames } from "@pdpp/test-support/vaults/golden-vaults";
import { afterEach, beforeEach, expect, it } from "vitest";

const [oldest = ""] = goldenNames;
const readSchema = (file: string): unknown => {
  const db = new DatabaseSync(file, { readOnly: true });
  const row = db.prepare("SELECT value FROM meta WHERE name = 'schema_version'").get();
  db.close();
  return row?.value;
};

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "pdpp-copies-"));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

it("[BAK-5] copies a vault of an earlier schema before migrating it, and keeps the last two copies", async () => {
  const names: string[][] = [];
  for (let n = 0; n < 3; n += 1) {
    rmSync(join(dataDir, "vault.db"), { force: true });
    await copyGolden(oldest, { dataDir });
    await (await openStore({ dataDir })).close();
    names.push(readdirSync(join(dataDir, "backups")));
    // Copy names have a resolution of one second.
    await new Promise((resolve) => setTimeout(resolve, 1001));
  }
  expect(names.map(({ length }) => length)).toEqual([1, 2, 2]);
  expect(names[2]).not.toContain(names[0]?.[0]);
  for (const name of names[2] ?? []) {
    const file = join(dataDir, "backups", name);
    expect(readSchema(file)).toBe(oldest.replace("schema-", ""));
    expect(statSync(file).mode & 0o777).toBe(0o600);
  }
  await (await openStore({ dataDir })).close();
  expect(readdirSync(join(dataDir, "backups"))).toEqual(names[2]);
});

it("[BAK-5] does not migrate a vault that cannot be copied", async () => {
  await copyGolden(oldest, { dataDir });
  writeFileSync(join(dataDir, "backups"), "no folder");
  await expect(openStore({ dataDir })).rejects.toThrow();
  expect(readSchema(join(dataDir, "vault.db"))).toBe(oldest.replace("schema-", ""));
});
