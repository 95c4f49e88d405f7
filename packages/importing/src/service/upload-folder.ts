import { randomBytes } from "node:crypto";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { isRunning } from "@pdpp/importers/tree";

export interface UploadFolder {
  readonly folder: string;
  /** For uploaded files. */
  readonly files: string;
  /** For unpacked archives. */
  readonly temporary: string;
  drop(): Promise<void>;
}

/** Next to the vault, because the system's temporary folder may be in memory. */
export const getUploadsRoot = (dataDir: string): string => join(dataDir, "uploads");

export async function createUploadFolder(root: string): Promise<UploadFolder> {
  const folder = join(root, `${process.pid}-${randomBytes(8).toString("hex")}`);
  const [files, temporary] = [join(folder, "files"), join(folder, "unpacked")];
  for (const each of [files, temporary]) await mkdir(each, { recursive: true, mode: 0o700 });
  return { folder, files, temporary, drop: () => rm(folder, { recursive: true, force: true }) };
}

/** Removes uploads of servers that were killed; those of running servers stay. */
export async function removeStaleUploads(root: string): Promise<void> {
  for (const name of await readdir(root).catch(() => [])) {
    const pid = Number(/^(\d+)-[0-9a-f]+$/.exec(name)?.[1]);
    if (Number.isInteger(pid) && (pid === process.pid || !isRunning(pid)))
      await rm(join(root, name), { recursive: true, force: true });
  }
}
