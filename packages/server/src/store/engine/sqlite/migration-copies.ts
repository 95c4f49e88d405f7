import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Engine } from "../engine.ts";
import { schemaVersion } from "../migrations.ts";
import { raw, sql } from "../sql.ts";

/** Copies of `vault.db`, made before a migration so that it can be undone. */

const maxCopies = 2;
const copyPattern = /^vault-schema-\d+-.*\.db$/;

/** Does nothing if the vault is new or up to date. */
export async function keepCopyBeforeMigration(engine: Engine, dataDir: string): Promise<void> {
  const version = await engine.read(async (on) => {
    const meta = await on.one(raw("SELECT 1 AS there FROM sqlite_master WHERE name = 'meta'"));
    if (meta === undefined) return undefined;
    return (await on.one<{ value: string }>(sql`SELECT value FROM meta WHERE name = 'schema_version'`))?.value;
  });
  if (version === undefined || Number(version) >= schemaVersion) return;
  const folder = join(dataDir, "backups");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
  const partialFile = join(folder, ".part");
  rmSync(partialFile, { force: true });
  const db = new DatabaseSync(join(dataDir, "vault.db"), { timeout: 30_000 });
  try {
    // The folder is private, so the copy is never readable by other users.
    db.prepare("VACUUM INTO ?").run(partialFile);
  } catch (error) {
    rmSync(partialFile, { force: true });
    throw error;
  } finally {
    db.close();
  }
  chmodSync(partialFile, 0o600);
  renameSync(partialFile, join(folder, `vault-schema-${version}-${stamp}.db`));
  const copies = readdirSync(folder)
    .filter((name) => copyPattern.test(name))
    .sort(compareTimes);
  for (const name of copies.slice(0, -maxCopies)) rmSync(join(folder, name));
}

const getTimestamp = (name: string): string => name.split("-").at(-1) ?? "";
const compareTimes = (a: string, b: string): number => (getTimestamp(a) < getTimestamp(b) ? -1 : 1);
