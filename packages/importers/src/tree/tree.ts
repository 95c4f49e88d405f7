/** What an export is made of, whether it came as a folder, a file, an archive, or several of them. */

export interface Entry {
  /** Names joined by `/`, never absolute, never with `..`. What is inside an archive goes on after the archive's own path. */
  readonly path: string;
  /** Uncompressed, as the folder or the archive says. */
  readonly size: number;
  readonly modifiedAt: number;
  /** The checksum that the archive has of it. */
  readonly crc?: number;
  /** The name of what was opened: the folder, the file or the archive. */
  readonly source: string;
  /** The path of the archive inside the tree that holds it. */
  readonly inside?: string;
  /** Its bytes, from that offset on. */
  bytes(from?: number): AsyncIterable<Uint8Array>;
}

/** Something in the tree that could not be opened; the rest can be read. */
export interface UnreadableEntry {
  readonly path: string;
  readonly code: string;
  readonly reason: string;
}

export interface Tree {
  /** In the order of their paths. */
  readonly entries: readonly Entry[];
  readonly unreadable: readonly UnreadableEntry[];
  /** Removes what was unpacked. */
  close(): Promise<void>;
}

/** A file or an archive cannot be opened at all. */
export class TreeError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

const firstPlausibleTime = Date.UTC(1981, 0, 1);

/** Programs that know no date write 1970 or 1980, and what is not known is not the date of an export. */
export const pickPlausibleTime = (said: number | undefined, otherwise: number): number =>
  Math.floor(said !== undefined && said >= firstPlausibleTime ? said : otherwise);

/** What an archive may ask of us. */
export interface Limits {
  readonly maxEntries: number;
  /** Characters of all their names together. */
  readonly maxNameChars: number;
  /** Archives inside archives. */
  readonly maxDepth: number;
  /** Bytes of all entries together, uncompressed. */
  readonly maxTotalBytes: number;
  /** How many times larger than compressed an entry may be, once it is larger than `freely` bytes. */
  readonly maxRatio: number;
  readonly ratioExemptBytes: number;
}

export const defaultLimits: Limits = {
  maxEntries: 500_000,
  maxNameChars: 64 * 1024 ** 2,
  maxDepth: 2,
  maxTotalBytes: 1024 ** 4,
  maxRatio: 250,
  ratioExemptBytes: 256 * 1024 ** 2,
};

/** What opening a tree has used so far, over all its archives. */
export class Budget {
  readonly limits: Limits;
  #entries = 0;
  #names = 0;
  #total = 0;

  constructor(limits: Limits) {
    this.limits = limits;
  }

  /** Something with a name, also where it is refused: a million refusals take as long as a million files. */
  count(path: string, name: string): void {
    this.#entries += 1;
    this.#names += name.length;
    if (this.#entries > this.limits.maxEntries) {
      throw new TreeError(
        "too_many_entries",
        `${path}: there are more than ${this.limits.maxEntries} files; import a part`,
      );
    }
    if (this.#names > this.limits.maxNameChars) {
      throw new TreeError("too_long_names", `${path}: the names of its files are too long; import a part`);
    }
  }

  take(path: string, size: number): void {
    this.#total += size;
    if (this.#total > this.limits.maxTotalBytes) {
      throw new TreeError(
        "too_large",
        `${path}: the files are larger than ${this.limits.maxTotalBytes} bytes; import a part`,
      );
    }
  }

  /** What is packed tighter than any honest file is a bomb. */
  isBomb(size: number, packed: number): boolean {
    return size > this.limits.ratioExemptBytes && size > packed * this.limits.maxRatio;
  }
}

/** The path of a name in an archive, or why it is refused. */
export function parseSafePath(name: string): { readonly path: string } | { readonly refused: string } {
  const path = name.replaceAll("\\", "/");
  if (path.includes("\0")) return { refused: "its name holds a NUL character" };
  if (/^([A-Za-z]:)?\//.test(path)) return { refused: "its name is absolute" };
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..")) return { refused: "its name leads out of the archive" };
  if (parts.length === 0) return { refused: "it has no name" };
  return { path: parts.join("/") };
}

export const compareByPath = (a: { path: string }, b: { path: string }): number =>
  a.path < b.path ? -1 : a.path > b.path ? 1 : 0;

/** Leaves out the first `from` bytes. */
export async function* skipBytes(bytes: AsyncIterable<Uint8Array>, from: number): AsyncGenerator<Uint8Array> {
  let left = from;
  for await (const chunk of bytes) {
    if (left >= chunk.length) left -= chunk.length;
    else {
      yield left === 0 ? chunk : chunk.subarray(left);
      left = 0;
    }
  }
}

/** The first bytes of an entry. */
export async function readHead(entry: Entry, count: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let got = 0;
  for await (const chunk of entry.bytes()) {
    parts.push(chunk);
    got += chunk.length;
    if (got >= count) break;
  }
  return Buffer.concat(parts).subarray(0, count);
}
