import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";

/** Copies of `vault.db`, made before a migration so that it can be undone. */

const maxCopies = 2;
const copyPattern = /^vault-schema-\d+-.*\.db$/;

/** The caller has locked out all other processes, so nothing is written between the copy and the migration. */
export function keepCopy(db: DatabaseSync, file: string, schema: number): void {
  const folder = join(dirname(file), "backups");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
  const partialFile = join(folder, ".part");
  rmSync(partialFile, { force: true });
  try {
    // The folder is private, so the copy is never readable by other users.
    db.prepare("VACUUM INTO ?").run(partialFile);
  } catch (error) {
    rmSync(partialFile, { force: true });
    throw error;
  }
  chmodSync(partialFile, 0o600);
  renameSync(partialFile, join(folder, `vault-schema-${schema}-${stamp}.db`));
  const copies = readdirSync(folder)
    .filter((name) => copyPattern.test(name))
    .sort(compareTimes);
  for (const name of copies.slice(0, -maxCopies)) rmSync(join(folder, name));
}

const getTimestamp = (name: string): string => name.split("-").at(-1) ?? "";
const compareTimes = (a: string, b: string): number => (getTimestamp(a) < getTimestamp(b) ? -1 : 1);
