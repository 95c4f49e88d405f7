import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { type ArchiveIndex, hashBytes, readArchive } from "./archive.ts";

/** Programs of older versions that stay, because a server that runs one of them loads modules from it when it first needs them. */
const keptPrograms = 2;

const ownOnly = 0o700;
const groupOrOthersWrite = 0o022;
const othersWrite = 0o002;
const sticky = 0o1000;

/** The folder is one that another user of this computer could change. */
class UnsafeFolder extends Error {}

/** Returns the folder of the unpacked program below `folder`, which only this user can change. Unpacks it if it is missing or damaged. */
export function unpackProgram(folder: string, index: ArchiveIndex, readBytes: () => Uint8Array): string {
  mkdirSync(folder, { recursive: true, mode: ownOnly });
  const place = realpathSync(folder);
  requireOwnFolder(place);
  const program = join(place, `${index.version}-${index.digest.slice(0, 16)}`);
  if (isComplete(program, index)) return program;
  const fresh = mkdtempSync(join(place, ".unpacking-"));
  try {
    writeProgram(fresh, index, readBytes());
    putInPlace(fresh, program, index);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  removeOldPrograms(place, program);
  return program;
}

export function describeUnpackFailure(error: unknown, folder: string): string {
  const reason = error instanceof Error ? error.message : String(error);
  return `error: pdpp cannot unpack itself into ${folder}: ${reason}. Set XDG_CACHE_HOME to a folder that only you can write to, with 30 MB of free space.`;
}

/** Code is loaded from here, so nobody else may put files here, or another folder in its place. */
function requireOwnFolder(place: string): void {
  const user = process.getuid?.();
  // On Windows, folders inherit the access of the user's own.
  if (user === undefined) return;
  const found = lstatSync(place);
  if (found.uid !== user) throw new UnsafeFolder("it belongs to another user");
  if ((found.mode & groupOrOthersWrite) !== 0) throw new UnsafeFolder("other users can write to it");
  for (let parent = dirname(place); ; parent = dirname(parent)) {
    if (isReplaceable(lstatSync(parent), user)) throw new UnsafeFolder(`other users can change ${parent}`);
    if (parent === dirname(parent)) return;
  }
}

/** Whether another user could rename what is in the folder. In a sticky folder, such as /tmp, only owners rename. */
const isReplaceable = ({ uid, mode }: Stats, user: number): boolean =>
  (uid !== user && uid !== 0) || ((mode & othersWrite) !== 0 && (mode & sticky) === 0);

/** Cleaners of caches remove single files. Digests were checked when the program was unpacked; only this user can have changed it since. */
function isComplete(program: string, { files }: ArchiveIndex): boolean {
  return files.every(({ path, bytes }) => {
    const found = lstatSync(join(program, path), { throwIfNoEntry: false });
    return found?.isFile() === true && found.size === bytes;
  });
}

function writeProgram(folder: string, index: ArchiveIndex, archive: Uint8Array): void {
  for (const { file, content } of readArchive(index, archive)) {
    const path = join(folder, file.path);
    mkdirSync(dirname(path), { recursive: true, mode: ownOnly });
    writeFileSync(path, content, { mode: 0o600, flag: "wx" });
  }
  for (const { path, sha256 } of index.files)
    if (hashBytes(readFileSync(join(folder, path))) !== sha256) throw new Error(`${path} was not stored as written`);
}

/** Another process may do the same at this moment; the first one's folder stays. */
function putInPlace(fresh: string, program: string, index: ArchiveIndex): void {
  for (;;) {
    try {
      renameSync(fresh, program);
      return;
    } catch (error) {
      if (isComplete(program, index)) return;
      // A damaged program makes way. It disappears with the fresh folder's name, which the next round needs.
      const damaged = `${fresh}-damaged`;
      try {
        renameSync(program, damaged);
      } catch {
        throw error;
      }
      rmSync(damaged, { recursive: true, force: true });
    }
  }
}

/** Also removes what a killed process left, a day later. */
function removeOldPrograms(place: string, current: string): void {
  const aDayAgo = Date.now() - 86_400_000;
  const others = readdirSync(place)
    .map((name) => join(place, name))
    .filter((path) => path !== current)
    .map((path) => ({ path, isPart: path.includes(".unpacking-"), time: lstatSync(path).mtimeMs }))
    .toSorted((one, other) => other.time - one.time);
  const programs = others.filter(({ isPart }) => !isPart).slice(keptPrograms);
  const parts = others.filter(({ isPart, time }) => isPart && time < aDayAgo);
  for (const { path } of [...programs, ...parts]) rmSync(path, { recursive: true, force: true });
}
