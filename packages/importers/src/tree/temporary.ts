import { mkdtemp, readdir, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";

/** Folders for what is unpacked. Each is removed by who made it; what somebody left who was killed is removed by the next. */

/** Numbers of processes mean something on one machine, and a temporary folder may belong to several. */
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
    // It may be somebody else's, and then it stays.
    if (Number.isInteger(pid) && !isRunning(pid))
      await rm(join(root, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Somebody else's process is one, too.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
