import { mkdtemp, readdir, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";

/** Temporary folders for unpacked files and runs of connectors. Each process removes its own; those of killed processes are removed by the next one. */

/** Process ids are only meaningful on one machine, and a temporary folder may be shared by several. */
const folderPrefix = `pdpp-import-${hostname().replace(/\W+/g, "_").slice(0, 40)}-`;

export async function createTemporaryFolder(): Promise<string> {
  await removeStaleFolders(tmpdir());
  return mkdtemp(join(tmpdir(), `${folderPrefix}${process.pid}-`));
}

async function removeStaleFolders(root: string): Promise<void> {
  for (const name of await readdir(root).catch(() => [])) {
    const pid = name.startsWith(folderPrefix)
      ? Number(/^(\d+)-/.exec(name.slice(folderPrefix.length))?.[1])
      : Number.NaN;
    // Keep it if its owner is still running.
    if (Number.isInteger(pid) && !isRunning(pid))
      await rm(join(root, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM means that the process exists but belongs to another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
