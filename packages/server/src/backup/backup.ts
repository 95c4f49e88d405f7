import { existsSync } from "node:fs";
import { PdppError } from "@pdpp/contract/errors";
import type { Revocation } from "../store/access/revocations.ts";
import { revocationsOf } from "../store/access/revocations.ts";
import { databaseBlobs } from "../store/blobs/blobs.ts";
import { hasVault } from "../store/engine/tables.ts";
import { blobsOf, openEngine, type StoreLocation, vaultFile } from "../store/store.ts";
import { readFileWhole, writeFileWhole } from "./backup-file.ts";
import type { Header } from "./format.ts";
import { backupParts } from "./read-backup.ts";
import { restoreParts } from "./restore.ts";
import { type BackupCounts, backupLines, noCounts } from "./write-backup.ts";

/** Backups of a vault, on either engine, while it is in use. */

export interface BackupOptions {
  readonly passphrase?: string | undefined;
  /** Of a backup: rows and bytes so far. Of a restore: bytes of the file. */
  readonly onProgress?: (done: number) => void;
}

interface Written extends BackupCounts {
  readonly fileBytes: number;
}

export async function backUp(location: StoreLocation, file: string, options: BackupOptions = {}): Promise<Written> {
  // To look for a vault must not make one.
  if (!location.databaseUrl && !existsSync(vaultFile(location.dataDir))) throw noVault(location.dataDir);
  const engine = openEngine(location);
  try {
    const counts = noCounts();
    const fileBytes = await engine.read(async (on) => {
      if (!(await hasVault(on, engine.dialect))) throw noVault("that database");
      // In a database the bytes are of the same moment as the rows.
      const blobs = location.databaseUrl
        ? databaseBlobs({ ...engine, read: (work) => work(on) })
        : blobsOf(engine, location);
      const lines = backupLines({ on, dialect: engine.dialect, blobs, now: Date.now() }, counts);
      return writeFileWhole(
        file,
        told(lines, () => options.onProgress?.(counts.rows)),
        options.passphrase,
      );
    });
    return { ...counts, fileBytes };
  } finally {
    await engine.close();
  }
}

const noVault = (where: string): PdppError =>
  new PdppError("not_found", `there is no vault in ${where}; say where it is with --data-dir or --database-url`);

async function* told(lines: AsyncIterable<string>, tell: () => void): AsyncGenerator<string> {
  for await (const line of lines) {
    yield line;
    tell();
  }
}

interface Verified extends BackupCounts {
  readonly header: Header;
}

export async function verifyBackup(file: string, { passphrase, onProgress }: BackupOptions = {}): Promise<Verified> {
  const counts = noCounts();
  let header: Header | undefined;
  for await (const part of backupParts(readFileWhole(file, passphrase, onProgress), counts)) {
    if (part.part === "header") header = part.header;
  }
  if (header === undefined) throw new Error("a backup without a header was read to its end");
  return { ...counts, header };
}

interface Restored extends BackupCounts {
  readonly revokedAgain: number;
}

export async function restore(
  location: StoreLocation,
  file: string,
  revoked: readonly Revocation[],
  { passphrase, onProgress }: BackupOptions = {},
): Promise<Restored> {
  const counts = noCounts();
  const parts = backupParts(readFileWhole(file, passphrase, onProgress), counts);
  const { revokedAgain } = await restoreParts(location, parts, revoked);
  return { ...counts, revokedAgain };
}

/** What is revoked in a vault, to be brought along when an older backup of it is restored elsewhere. */
export async function revocationsIn(location: StoreLocation): Promise<Revocation[]> {
  const engine = openEngine(location);
  try {
    return await engine.read(revocationsOf);
  } finally {
    await engine.close();
  }
}
