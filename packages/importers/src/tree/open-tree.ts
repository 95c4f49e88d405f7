import { randomUUID } from "node:crypto";
import { closeSync, createReadStream, createWriteStream, lstatSync, openSync, readSync, type Stats } from "node:fs";
import { lstat, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve, sep } from "node:path";
import { pipeline } from "node:stream/promises";
import { readTar } from "./tar.ts";
import { createTemporaryFolder } from "./temporary.ts";
import {
  Budget,
  compareByPath,
  defaultLimits,
  type Entry,
  type FileStamp,
  type Limits,
  pickPlausibleTime,
  readHead,
  type Tree,
  TreeError,
  type UnreadableEntry,
} from "./tree.ts";
import { type Bytes, openFileBytes, readZip, sliceBytes, type ZipContents, type ZipPlace } from "./zip.ts";

export { type Damage, getDamage as damageOf, getStreamDamage as damageIn } from "./damage.ts";
export { computeDigest, digestReads, getReadDigest } from "./digests.ts";
export { createTemporaryFolder, isRunning } from "./temporary.ts";
export { type Entry, type Tree, TreeError } from "./tree.ts";

/** Opens folders, files and (multi-part) archives as one tree. `skips` names files and folders within a folder that are left out. */
export async function openTree(
  paths: readonly string[],
  limits: Limits = defaultLimits,
  skips: (file: string) => boolean = () => false,
): Promise<Tree> {
  const opening = new TreeBuilder(new Budget(limits), skips);
  try {
    const found = await addSiblingParts(paths.map((path) => resolve(path)));
    const isShared = (path: string) => found.filter((other) => basename(other) === basename(path)).length > 1;
    for (const path of found) {
      // Parts of one export share their folders; other inputs stay separate.
      const prefix =
        partName.test(basename(path)) || found.length === 1 ? "" : `${isShared(path) ? path : basename(path)}/`;
      await opening.add(path, prefix.replace(/^\/+/, ""));
    }
    opening.entries.sort(compareByPath);
    return { entries: opening.entries, unreadable: opening.unreadable, close: () => opening.close() };
  } catch (error) {
    await opening.close();
    if (error instanceof Error && "code" in error && error.code === "ENOSPC") throw createDiskFullError();
    throw error;
  }
}

const createDiskFullError = (): TreeError =>
  new TreeError(
    "no_room",
    `no space left in ${tmpdir()} to unpack it; free some space, or set TMPDIR to another folder`,
  );

/** One of several parts: `takeout-20260101T000000Z-001.zip`. */
const partName = /^(.*[-_.])(\d{3})\.(zip|tgz|tar\.gz)$/i;

/** Adds the other parts of a multi-part export from the same folder. */
async function addSiblingParts(paths: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  for (const path of paths) {
    found.add(path);
    const [, stem, , ending] = partName.exec(basename(path)) ?? [];
    if (stem === undefined) continue;
    for (const name of await readdir(dirname(path)).catch(() => [])) {
      const [, other, , otherEnding] = partName.exec(name) ?? [];
      if (other === stem && otherEnding === ending) found.add(join(dirname(path), name));
    }
  }
  return [...found].sort();
}

/** Nested archives to open; other zip files are documents or programs. */
const archiveName = /\.(zip|bear2bk)$/i;

/** Reading a pipe or device may never end. */
const specialFileReason = "is neither a file nor a folder";

/** A file on disk, and its place in the tree. */
interface FilePlace {
  readonly file: string;
  readonly path: string;
  /** Prefix for its entries, if it is an archive. */
  readonly prefix: string;
  readonly source: string;
}

class TreeBuilder {
  readonly entries: Entry[] = [];
  readonly unreadable: UnreadableEntry[] = [];
  readonly #allowance: Budget;
  readonly #skips: (file: string) => boolean;
  readonly #closing: (() => Promise<void>)[] = [];
  #spool: string | undefined;

  constructor(allowance: Budget, skips: (file: string) => boolean) {
    this.#allowance = allowance;
    this.#skips = skips;
  }

  async close(): Promise<void> {
    for (const close of this.#closing.splice(0).reverse()) await close().catch(() => undefined);
  }

  async add(path: string, prefix: string): Promise<void> {
    const found = await wrapFailure(path, lstat(path));
    if (found.isSymbolicLink()) throw new TreeError("link", `${path} is a symbolic link; pass its target instead`);
    if (!found.isDirectory() && !found.isFile())
      throw new TreeError("special", `${path} ${specialFileReason}; pass a file or a folder`);
    if (found.isDirectory()) await this.#addFolder(path, prefix, basename(path));
    else
      await this.#addFile(
        // Files given together become siblings.
        { file: path, path: prefix === "" ? basename(path) : prefix.slice(0, -1), prefix, source: basename(path) },
        found,
      );
  }

  async #addFolder(path: string, prefix: string, source: string): Promise<void> {
    // `join` would normalize each path again, which takes long in a large folder.
    const folder = path.endsWith(sep) ? path : `${path}${sep}`;
    for (const item of await wrapFailure(path, readdir(path, { withFileTypes: true }))) {
      const inner = `${folder}${item.name}`;
      if (this.#skips(inner)) continue;
      const name = `${prefix}${item.name.normalize("NFC")}`;
      this.#allowance.count(path, name);
      if (item.isSymbolicLink()) {
        this.unreadable.push({ path: name, code: "link", reason: "symbolic links are not followed" });
      } else if (!item.isDirectory() && !item.isFile()) {
        this.unreadable.push({ path: name, code: "special", reason: `it ${specialFileReason}` });
      } else {
        try {
          if (item.isDirectory()) await this.#addFolder(inner, `${name}/`, source);
          else await this.#addFileInFolder({ file: inner, path: name, prefix: `${name}/`, source: item.name });
        } catch (error) {
          // A bad archive in a folder is reported, and the rest is read.
          if (!(error instanceof TreeError) || error.code.startsWith("too_")) throw error;
          this.unreadable.push({ path: name, code: error.code, reason: error.message });
        }
      }
    }
  }

  async #addFileInFolder(place: FilePlace): Promise<void> {
    // Synchronous, because a promise for each of many files takes ten times as long as the call.
    const stats = wrapFailureSync(place.path, () => lstatSync(place.file));
    await this.#addFile(place, stats);
  }

  /** Adds a file, or its entries if it is an archive. */
  async #addFile({ file, path, prefix, source }: FilePlace, stats: Stats): Promise<void> {
    const { size, mtimeMs, ctimeMs } = stats;
    const modifiedAt = pickPlausibleTime(mtimeMs, ctimeMs);
    const entry: Entry = {
      path,
      size,
      source,
      modifiedAt,
      stamp: createStamp(stats),
      file,
      bytes: (from = 0) => readFileFrom(file, path, from, size),
    };
    const kind = canBeArchive(path) ? detectArchiveKind(path, readFileHead(file, path)) : undefined;
    if (kind === undefined) {
      this.#allowance.take(path, size);
      this.entries.push(entry);
    } else if (kind === "zip") {
      const bytes = await wrapFailure(path, openFileBytes(file));
      this.#closing.push(() => bytes.close());
      await this.#addZip(bytes, { prefix, name: path, source, modifiedAt }, 1);
    } else {
      const where = { prefix, name: path, source, modifiedAt, spool: await this.#getSpoolFolder(), packed: size };
      const { entries, unreadable } = await readTar(file, kind === "tgz", where, this.#allowance);
      for (const each of entries) this.entries.push(each);
      for (const addUnreadable of unreadable) this.unreadable.push(addUnreadable);
    }
  }

  async #addZip(bytes: Bytes, where: ZipPlace, depth: number): Promise<void> {
    const contents = await readZip(bytes, where, this.#allowance);
    for (const failure of contents.unreadable) this.unreadable.push(failure);
    for (const entry of contents.entries) {
      this.entries.push(entry);
      if (archiveName.test(entry.path)) await this.#addNested(bytes, contents, entry, depth);
    }
  }

  /** A nested archive also stays a file: somebody may have sent it. */
  async #addNested(outer: Bytes, contents: ZipContents, entry: Entry, depth: number): Promise<void> {
    const failure = (code: string, reason: string): void =>
      void this.unreadable.push({ path: entry.path, code, reason });
    try {
      if (!canBeArchive(entry.path)) return;
      if (detectArchiveKind(entry.path, Buffer.from(await readHead(entry, archiveHeadBytes))) !== "zip") return;
      if (depth >= this.#allowance.limits.maxDepth) {
        return failure(
          "too_deep",
          `archives are nested more than ${this.#allowance.limits.maxDepth} levels deep; unpack this one first`,
        );
      }
      const stored = await contents.locateStored(entry);
      const inner = stored === undefined ? await this.#spoolEntry(entry) : sliceBytes(outer, stored.start, stored.size);
      const { path, modifiedAt } = entry;
      const where = { prefix: `${path}/`, name: path, source: basename(path), inside: path, modifiedAt };
      await this.#addZip(inner, where, depth + 1);
    } catch (error) {
      if (!(error instanceof TreeError) || error.code.startsWith("too_")) throw error;
      failure(error.code, error.message);
    }
  }

  async #spoolEntry(entry: Entry): Promise<Bytes> {
    const file = join(await this.#getSpoolFolder(), randomUUID());
    await pipeline(entry.bytes(), createWriteStream(file, { flags: "wx", mode: 0o600 }));
    const bytes = await openFileBytes(file);
    this.#closing.push(() => bytes.close());
    return bytes;
  }

  async #getSpoolFolder(): Promise<string> {
    if (this.#spool === undefined) {
      const folder = await createTemporaryFolder();
      this.#spool = folder;
      this.#closing.unshift(() => rm(folder, { recursive: true, force: true }));
    }
    return this.#spool;
  }
}

async function* readFileFrom(file: string, path: string, from: number, size: number): AsyncGenerator<Uint8Array> {
  if (from >= size) return;
  try {
    // Stops at the size seen at first: the file may still be growing.
    yield* createReadStream(file, { start: from, end: size - 1, highWaterMark: 262_144 });
  } catch (error) {
    throw toUnreadableError(path, error);
  }
}

const wrapFailure = <T>(path: string, work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw toUnreadableError(path, error);
  });

const unreadableReasons: Readonly<Record<string, string>> = {
  ENOENT: "no such file or folder; check the path",
  EACCES: "permission denied; change its permissions",
  EPERM: "permission denied; change its permissions",
};

function wrapFailureSync<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toUnreadableError(path, error);
  }
}

const createStamp = ({ dev, ino, mtimeMs, ctimeMs }: Stats): FileStamp => ({
  text: `${dev}:${ino}:${mtimeMs}:${ctimeMs}`,
  changedAt: Math.max(mtimeMs, ctimeMs),
});

const archiveHeadBytes = 512;

/** One for all files: each is looked at before the next is read. */
const sharedHead = Buffer.alloc(archiveHeadBytes);

/** Without a stream: of most files of a folder, nothing else is read again. */
const readFileHead = (file: string, path: string): Buffer =>
  wrapFailureSync(path, () => {
    const handle = openSync(file, "r");
    try {
      const length = readSync(handle, sharedHead, 0, sharedHead.length, 0);
      return length === sharedHead.length ? sharedHead : sharedHead.subarray(0, length);
    } finally {
      closeSync(handle);
    }
  });

/** Explains a file system error. */
function toUnreadableError(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || !("code" in error) || !("syscall" in error)) return error;
  return new TreeError("unreadable", `cannot read ${path}: ${unreadableReasons[String(error.code)] ?? error.message}`);
}

/** Office documents are zip archives too, but are not opened. */
const canBeArchive = (path: string): boolean =>
  !/\.(docx|xlsx|pptx|odt|ods|odp|epub|apk|jar|kmz|pages|numbers|key)$/i.test(path);

/** Detects by content. */
function detectArchiveKind(path: string, head: Buffer): "zip" | "tgz" | "tar" | undefined {
  if (head.length >= 4) {
    const start = head.readUInt32BE(0);
    if (start === 0x504b0304 || start === 0x504b0506) return "zip";
    if (start >>> 16 === 0x1f8b && /\.(tgz|tar\.gz)$/i.test(path)) return "tgz";
  }
  return head.length === archiveHeadBytes && head.toString("latin1", 257, 262) === "ustar" ? "tar" : undefined;
}
