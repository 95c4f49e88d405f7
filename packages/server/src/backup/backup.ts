import { existsSync } from "node:fs";
import { PdppError } from "@pdpp/contract/errors";
import type { Revocation } from "../store/access/revocations.ts";
import { listRevocations } from "../store/access/revocations.ts";
import { createDatabaseBlobs } from "../store/blobs/blobs.ts";
import { createReadOnlyError } from "../store/engine/engine.ts";
import { hasVault } from "../store/engine/tables.ts";
import { getVaultFile, openBlobs, openEngine, type StoreLocation } from "../store/store.ts";
import { readBackupFile, writeBackupFile } from "./backup-file.ts";
import type { Header } from "./format.ts";
import { readBackupParts } from "./read-backup.ts";
import { restoreParts } from "./restore.ts";
import { type BackupCounts, createCounts, generateBackupLines } from "./write-backup.ts";

export interface BackupOptions {
  readonly passphrase?: string | undefined;
  /** Backup: rows so far. Restore: bytes of the file. */
  readonly onProgress?: (done: number) => void;
}

interface BackupResult extends BackupCounts {
  readonly fileBytes: number;
}

export async function createBackup(
  location: StoreLocation,
  file: string,
  options: BackupOptions = {},
): Promise<BackupResult> {
  // Opening an engine would create a vault.
  if (!location.databaseUrl && !existsSync(getVaultFile(location.dataDir))) throw vaultNotFoundError(location.dataDir);
  const engine = openEngine(location);
  try {
    // A backup of a part would pass for a backup of the vault.
    if (engine.readOnly !== undefined) throw createReadOnlyError(engine.readOnly);
    const counts = createCounts();
    const fileBytes = await engine.read(async (on) => {
      if (!(await hasVault(on))) throw vaultNotFoundError("that database");
      // In a shared database, blobs are read from the same snapshot as rows.
      const blobs = location.databaseUrl
        ? createDatabaseBlobs({ ...engine, read: (work) => work(on) })
        : openBlobs(engine, location);
      const lines = generateBackupLines({ on, blobs, now: Date.now() }, counts);
      return writeBackupFile(
        file,
        reportEachLine(lines, () => options.onProgress?.(counts.rows)),
        options.passphrase,
      );
    });
    return { ...counts, fileBytes };
  } finally {
    await engine.close();
  }
}

const vaultNotFoundError = (where: string): PdppError =>
  new PdppError("not_found", `there is no vault in ${where}; choose another with --data-dir or --database-url`);

async function* reportEachLine(lines: AsyncIterable<string>, onLine: () => void): AsyncGenerator<string> {
  for await (const line of lines) {
    yield line;
    onLine();
  }
}

interface VerifyResult extends BackupCounts {
  readonly header: Header;
}

export async function verifyBackup(
  file: string,
  { passphrase, onProgress }: BackupOptions = {},
): Promise<VerifyResult> {
  const counts = createCounts();
  let header: Header | undefined;
  for await (const part of readBackupParts(readBackupFile(file, passphrase, onProgress), counts)) {
    if (part.part === "header") header = part.header;
  }
  if (header === undefined) throw new Error("the backup has no header");
  return { ...counts, header };
}

interface RestoreResult extends BackupCounts {
  readonly revokedAgain: number;
}

export async function restore(
  location: StoreLocation,
  file: string,
  revoked: readonly Revocation[],
  { passphrase, onProgress }: BackupOptions = {},
): Promise<RestoreResult> {
  const counts = createCounts();
  const parts = readBackupParts(readBackupFile(file, passphrase, onProgress), counts);
  const { revokedAgain } = await restoreParts(location, parts, revoked);
  return { ...counts, revokedAgain };
}

export async function loadRevocations(location: StoreLocation): Promise<Revocation[]> {
  const engine = openEngine(location);
  try {
    return await engine.read(listRevocations);
  } finally {
    await engine.close();
  }
}
