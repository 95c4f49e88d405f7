import { type Stats, statSync } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Lists the files of a folder that are not being written. */

export interface SettledFiles {
  /** Files and folders to read. */
  readonly accepted: ReadonlySet<string>;
  /** Files that changed while we looked. */
  readonly unsettled: readonly string[];
}

/** The folder is not there, or its disk is not mounted. */
export class FolderMissing extends Error {
  override readonly name = "FolderMissing";
}

/** Longer than the coarsest clock of a file system: a file that was just written may be written again without a visible change. */
const settleMs = 2100;
/** Programs pause longer while they write large files. */
const largeSettleMs = 10_000;
const largeBytes = 100_000_000;

/** Names of partial downloads and of editors' temporary files. Safari's downloads are folders. */
const temporaryName = /(\.(part|partial|crdownload|download|tmp)|~)$|^~\$/i;

interface Scan {
  /** Files and folders that are not ignored. */
  readonly accepted: Set<string>;
  readonly files: Map<string, Stats>;
}

export async function listSettledFiles(folder: string, signal?: AbortSignal): Promise<SettledFiles> {
  const { accepted, files } = await scanFolder(folder);
  const lookedAt = Date.now();
  // Copying keeps the modification time, so the time of the last change counts too.
  const young = [...files].filter(([, stats]) => {
    const age = lookedAt - Math.max(stats.mtimeMs, stats.ctimeMs);
    return age < getSettleTime(stats) && age > -largeSettleMs;
  });
  if (young.length === 0) return { accepted, unsettled: [] };
  await sleep(Math.max(...young.map(([, stats]) => getSettleTime(stats))), undefined, { signal });
  const unsettled = young.flatMap(([file, before]) => {
    const now = statSync(file, { throwIfNoEntry: false });
    return now?.size === before.size && now.mtimeMs === before.mtimeMs && now.ino === before.ino ? [] : [file];
  });
  for (const file of unsettled) accepted.delete(file);
  return { accepted, unsettled };
}

const getSettleTime = ({ size }: Stats): number => (size > largeBytes ? largeSettleMs : settleMs);

/** Throws if the folder cannot be read. A subfolder that cannot be read is left to the import, which reports it. */
export async function scanFolder(folder: string): Promise<Scan> {
  const scan: Scan = { accepted: new Set(), files: new Map() };
  const folders = [folder];
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    const items = await readdir(at, { withFileTypes: true }).catch((error: unknown) => {
      if (at === folder) throw error;
      return [];
    });
    const isMaildir = items.some(({ name }) => name === "cur") && items.some(({ name }) => name === "new");
    for (const item of items) {
      if (isIgnored(item.name, isMaildir)) continue;
      const path = join(at, item.name);
      const stats = await lstat(path).catch(() => undefined);
      // It was removed since.
      if (stats === undefined) continue;
      scan.accepted.add(path);
      if (stats.isDirectory()) folders.push(path);
      else if (stats.isFile()) scan.files.set(path, stats);
    }
  }
  return scan;
}

/** Hidden files belong to programs. But the folders of a mailbox start with a dot, and Obsidian's settings say where its vault begins. */
const isIgnored = (name: string, isInMaildir: boolean): boolean =>
  temporaryName.test(name) || (name.startsWith(".") && name !== ".obsidian" && !(isInMaildir && isMaildirFolder(name)));

/** Whether a change of that path within the folder is of no interest. Obsidian writes its settings all the time. */
export const isIgnoredChange = (path: string): boolean =>
  temporaryName.test(path) || /(^|[\\/])(\.obsidian|\.git)([\\/]|$)|(^|[\\/])\.[^\\/]*$/.test(path);

const isMaildirFolder = (name: string): boolean => /^\.[^.]/.test(name);

/** Whether a disk was mounted there: it is on another device than the folder above. */
export function isMountPoint(folder: string): boolean {
  const [own, above] = [folder, dirname(folder)].map((path) => statSync(path, { throwIfNoEntry: false }));
  return own !== undefined && above !== undefined && own.dev !== above.dev;
}

/** Throws if there is no folder, or if it was a mounted disk and no longer is. */
export async function requireFolder(folder: string, wasMountPoint: boolean): Promise<void> {
  const stats = await lstat(folder).catch(() => undefined);
  if (stats === undefined)
    throw new FolderMissing(`${folder} does not exist; if it is on another disk, connect it. Nothing was deleted`);
  if (!stats.isDirectory()) throw new FolderMissing(`${folder} is not a folder`);
  if (wasMountPoint && !isMountPoint(folder))
    throw new FolderMissing(`no disk is mounted at ${folder}; mount ${basename(folder)}. Nothing was deleted`);
}
