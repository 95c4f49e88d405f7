import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { StoreLocation } from "@pdpp/server/store/store";
import { UsageError } from "../runtime/failure.ts";
import { describeVault } from "../runtime/vault.ts";

/** A folder that collects dated backups. A name tells the vault, so that vaults can share a folder without deleting each other's. */

/** Chooses the file: the named one, or a new one with date and vault in its name if a folder is named. */
export function chooseBackupFile(
  named: string,
  keep: number | undefined,
  location: StoreLocation,
  now = new Date(),
): string {
  const found = statSync(named, { throwIfNoEntry: false });
  if (found?.isDirectory()) return join(named, buildBackupName(location, now));
  if (keep === undefined) return named;
  if (found !== undefined || named.endsWith(".pdpp"))
    throw new UsageError(`--keep needs a folder, and ${named} ${found === undefined ? "is named like" : "is"} a file`);
  mkdirSync(named, { recursive: true, mode: 0o700 });
  return join(named, buildBackupName(location, now));
}

const buildPrefix = (location: StoreLocation): string =>
  `pdpp-${createHash("sha256").update(describeVault(location)).digest("hex").slice(0, 8)}-`;

/** Dates sort as text. */
const buildBackupName = (location: StoreLocation, now: Date): string =>
  `${buildPrefix(location)}${now.toISOString().replaceAll(":", "").replace(/\..*/, "Z")}.pdpp`;

const datePattern = /^\d{4}-\d{2}-\d{2}T\d{6}Z\.pdpp$/;

/** Deletes all but the newest backups of this vault in the folder of `newest`, and returns their paths. Nothing is deleted unless the newest is intact. */
export async function rotateBackups(
  newest: string,
  keep: number,
  location: StoreLocation,
  verify: () => Promise<void>,
): Promise<string[]> {
  await verify();
  const folder = dirname(newest);
  const prefix = buildPrefix(location);
  const older = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.startsWith(prefix))
    .map(({ name }) => name)
    // A clock that was wrong once must not cost the backup that was just made.
    .filter((name) => datePattern.test(name.slice(prefix.length)) && name !== basename(newest))
    .sort()
    .reverse();
  const deleted = older.slice(keep - 1).map((name) => join(folder, name));
  for (const path of deleted) rmSync(path);
  return deleted;
}
