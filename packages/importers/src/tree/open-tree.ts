import { randomUUID } from "node:crypto";
import { createReadStream, createWriteStream, type Stats } from "node:fs";
import { lstat, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { readTar } from "./tar.ts";
import { temporaryFolder } from "./temporary.ts";
import {
  Allowance,
  believed,
  byPath,
  type Entry,
  headOf,
  type Limits,
  type Tree,
  TreeError,
  type TreeFault,
  usualLimits,
} from "./tree.ts";
import { type Bytes, fileBytes, readZip, within, type ZipContents, type ZipPlace } from "./zip.ts";

export { type Damage, damageIn, damageOf } from "./damage.ts";
export { isRunning } from "./temporary.ts";
export { type Entry, type Tree, TreeError } from "./tree.ts";

/** Opens what a person names: folders, files, archives and the parts of a divided one, as one tree. */
export async function openTree(paths: readonly string[], limits: Limits = usualLimits): Promise<Tree> {
  const opening = new Opening(new Allowance(limits));
  try {
    const found = await withParts(paths.map((path) => resolve(path)));
    const isShared = (path: string) => found.filter((other) => basename(other) === basename(path)).length > 1;
    for (const path of found) {
      // Parts of one export go on in each other's folders; other things keep apart.
      const prefix =
        partName.test(basename(path)) || found.length === 1 ? "" : `${isShared(path) ? path : basename(path)}/`;
      await opening.add(path, prefix.replace(/^\/+/, ""));
    }
    opening.entries.sort(byPath);
    return { entries: opening.entries, faults: opening.faults, close: () => opening.close() };
  } catch (error) {
    await opening.close();
    if (error instanceof Error && "code" in error && error.code === "ENOSPC") throw noRoom();
    throw error;
  }
}

const noRoom = (): TreeError =>
  new TreeError(
    "no_room",
    `there is no room left in ${tmpdir()} to unpack it; free some, or name another folder in TMPDIR`,
  );

/** `takeout-20260101T000000Z-001.zip`: one of several parts. */
const partName = /^(.*[-_.])(\d{3})\.(zip|tgz|tar\.gz)$/i;

/** A part brings the others that lie beside it. */
async function withParts(paths: readonly string[]): Promise<string[]> {
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

/** What is looked into inside of an archive: other zip archives are documents or programs. */
const isArchiveName = /\.(zip|bear2bk)$/i;

/** Reading one may never end. */
const isSpecial = "is neither a file nor a folder";

/** A file on disk, and where it stands in the tree. */
interface Place {
  readonly file: string;
  readonly path: string;
  /** Of what is inside, if it is an archive. */
  readonly prefix: string;
  readonly source: string;
}

class Opening {
  readonly entries: Entry[] = [];
  readonly faults: TreeFault[] = [];
  readonly #allowance: Allowance;
  readonly #closing: (() => Promise<void>)[] = [];
  #spool: string | undefined;

  constructor(allowance: Allowance) {
    this.#allowance = allowance;
  }

  async close(): Promise<void> {
    for (const close of this.#closing.splice(0).reverse()) await close().catch(() => undefined);
  }

  async add(path: string, prefix: string): Promise<void> {
    const found = await reading(path, lstat(path));
    if (found.isSymbolicLink()) throw new TreeError("link", `${path} is a link; name what it leads to`);
    if (!found.isDirectory() && !found.isFile())
      throw new TreeError("special", `${path} ${isSpecial}; name one of these`);
    if (found.isDirectory()) await this.#folder(path, prefix, basename(path));
    else
      await this.#file(
        // Files that are named side by side lie side by side.
        { file: path, path: prefix === "" ? basename(path) : prefix.slice(0, -1), prefix, source: basename(path) },
        found,
      );
  }

  async #folder(path: string, prefix: string, source: string): Promise<void> {
    for (const item of await reading(path, readdir(path, { withFileTypes: true }))) {
      const inner = join(path, item.name);
      const name = `${prefix}${item.name.normalize("NFC")}`;
      this.#allowance.count(path, name);
      if (item.isSymbolicLink()) {
        this.faults.push({ path: name, code: "link", reason: "it is a link; links are not followed" });
      } else if (!item.isDirectory() && !item.isFile()) {
        this.faults.push({ path: name, code: "special", reason: `it ${isSpecial}` });
      } else {
        try {
          if (item.isDirectory()) await this.#folder(inner, `${name}/`, source);
          else await this.#inFolder({ file: inner, path: name, prefix: `${name}/`, source: item.name });
        } catch (error) {
          // In a folder one bad archive among other things is told, and the rest is read.
          if (!(error instanceof TreeError) || error.code.startsWith("too_")) throw error;
          this.faults.push({ path: name, code: error.code, reason: error.message });
        }
      }
    }
  }

  async #inFolder(place: Place): Promise<void> {
    await this.#file(place, await reading(place.path, lstat(place.file)));
  }

  /** A file, or what is inside if it is an archive. */
  async #file({ file, path, prefix, source }: Place, { size, mtimeMs, ctimeMs }: Stats): Promise<void> {
    const modifiedAt = believed(mtimeMs, ctimeMs);
    const entry: Entry = {
      path,
      size,
      source,
      modifiedAt,
      bytes: (from = 0) => fileFrom(file, path, from, size),
    };
    const kind = await archiveKind(entry);
    if (kind === undefined) {
      this.#allowance.take(path, size);
      this.entries.push(entry);
    } else if (kind === "zip") {
      const bytes = await reading(path, fileBytes(file));
      this.#closing.push(() => bytes.close());
      await this.#zip(bytes, { prefix, name: path, source, modifiedAt }, 1);
    } else {
      const where = { prefix, name: path, source, modifiedAt, spool: await this.#spoolFolder(), packed: size };
      const { entries, faults } = await readTar(file, kind === "tgz", where, this.#allowance);
      for (const each of entries) this.entries.push(each);
      for (const fault of faults) this.faults.push(fault);
    }
  }

  async #zip(bytes: Bytes, where: ZipPlace, depth: number): Promise<void> {
    const contents = await readZip(bytes, where, this.#allowance);
    for (const fault of contents.faults) this.faults.push(fault);
    for (const entry of contents.entries) {
      this.entries.push(entry);
      if (isArchiveName.test(entry.path)) await this.#nested(bytes, contents, entry, depth);
    }
  }

  /** An archive in an archive stays a file, too: it may be something that somebody sent. */
  async #nested(outer: Bytes, contents: ZipContents, entry: Entry, depth: number): Promise<void> {
    const fault = (code: string, reason: string): void => void this.faults.push({ path: entry.path, code, reason });
    try {
      if ((await archiveKind(entry)) !== "zip") return;
      if (depth >= this.#allowance.limits.depth) {
        return fault("too_deep", `archives are nested more than ${this.#allowance.limits.depth} deep; unpack it first`);
      }
      const stored = await contents.storedAt(entry);
      const inner = stored === undefined ? await this.#spooled(entry) : within(outer, stored.start, stored.size);
      const { path, modifiedAt } = entry;
      const where = { prefix: `${path}/`, name: path, source: basename(path), inside: path, modifiedAt };
      await this.#zip(inner, where, depth + 1);
    } catch (error) {
      if (!(error instanceof TreeError) || error.code.startsWith("too_")) throw error;
      fault(error.code, error.message);
    }
  }

  async #spooled(entry: Entry): Promise<Bytes> {
    const file = join(await this.#spoolFolder(), randomUUID());
    await pipeline(entry.bytes(), createWriteStream(file, { flags: "wx", mode: 0o600 }));
    const bytes = await fileBytes(file);
    this.#closing.push(() => bytes.close());
    return bytes;
  }

  async #spoolFolder(): Promise<string> {
    if (this.#spool === undefined) {
      const folder = await temporaryFolder();
      this.#spool = folder;
      this.#closing.unshift(() => rm(folder, { recursive: true, force: true }));
    }
    return this.#spool;
  }
}

async function* fileFrom(file: string, path: string, from: number, size: number): AsyncGenerator<Uint8Array> {
  if (from >= size) return;
  try {
    // No further than it reached when it was found: somebody may be writing to it.
    yield* createReadStream(file, { start: from, end: size - 1, highWaterMark: 262_144 });
  } catch (error) {
    throw unreadable(path, error);
  }
}

const reading = <T>(path: string, work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw unreadable(path, error);
  });

const whyUnreadable: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder; check the path",
  EACCES: "you may not read it; change its permissions",
  EPERM: "you may not read it; change its permissions",
};

/** What the disk refuses, in words. */
function unreadable(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || !("code" in error) || !("syscall" in error)) return error;
  return new TreeError("unreadable", `cannot read ${path}: ${whyUnreadable[String(error.code)] ?? error.message}`);
}

/** By content. Office documents are zip archives as well, but nobody wants to look into them. */
async function archiveKind(entry: Entry): Promise<"zip" | "tgz" | "tar" | undefined> {
  if (/\.(docx|xlsx|pptx|odt|ods|odp|epub|apk|jar|kmz|pages|numbers|key)$/i.test(entry.path)) return undefined;
  const head = Buffer.from(await headOf(entry, 512));
  if (head.length >= 4) {
    const start = head.readUInt32BE(0);
    if (start === 0x504b0304 || start === 0x504b0506) return "zip";
    if (start >>> 16 === 0x1f8b && /\.(tgz|tar\.gz)$/i.test(entry.path)) return "tgz";
  }
  return head.length === 512 && head.toString("latin1", 257, 262) === "ustar" ? "tar" : undefined;
}
