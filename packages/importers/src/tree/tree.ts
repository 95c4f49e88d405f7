/** The files of an export, whether it is a folder, a file, an archive, or several of them. */

export interface Entry {
  /** Joined by `/`, never absolute, never with `..`. Entries of an archive continue the archive's own path. */
  readonly path: string;
  /** Uncompressed size, as declared. */
  readonly size: number;
  readonly modifiedAt: number;
  /** Checksum declared by the archive. */
  readonly crc?: number;
  /** What the file system says about a plain file; any write to the file changes it. */
  readonly stamp?: FileStamp;
  /** Where it is on disk, if it is a plain file. */
  readonly file?: string;
  /** Name of the folder, file or archive that was opened. */
  readonly source: string;
  /** Path of the nested archive that contains it. */
  readonly inside?: string;
  bytes(from?: number): AsyncIterable<Uint8Array>;
}

export interface FileStamp {
  readonly text: string;
  /** The file was last changed then; a write within the resolution of the file system's clock leaves the same stamp. */
  readonly changedAt: number;
}

/** Something in the tree that could not be opened. */
export interface UnreadableEntry {
  readonly path: string;
  readonly code: string;
  readonly reason: string;
}

export interface Tree {
  /** Sorted by path. */
  readonly entries: readonly Entry[];
  readonly unreadable: readonly UnreadableEntry[];
  /** Removes unpacked files. */
  close(): Promise<void>;
}

/** Opening or reading failed. */
export class TreeError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

const firstPlausibleTime = Date.UTC(1981, 0, 1);

/** Programs that do not know a date write 1970 or 1980. */
export const pickPlausibleTime = (said: number | undefined, otherwise: number): number =>
  Math.floor(said !== undefined && said >= firstPlausibleTime ? said : otherwise);

/** Limits against archive bombs. */
export interface Limits {
  readonly maxEntries: number;
  /** Total characters of all names. */
  readonly maxNameChars: number;
  /** Nesting of archives. */
  readonly maxDepth: number;
  /** Uncompressed bytes of all entries. */
  readonly maxTotalBytes: number;
  /** Maximum compression ratio of an entry larger than `ratioExemptBytes`. */
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

/** The used share of the limits, over all archives. */
export class Budget {
  readonly limits: Limits;
  #entries = 0;
  #names = 0;
  #total = 0;

  constructor(limits: Limits) {
    this.limits = limits;
  }

  /** Rejected entries count too: a million rejections take as long as a million files. */
  count(path: string, name: string): void {
    this.#entries += 1;
    this.#names += name.length;
    if (this.#entries > this.limits.maxEntries) {
      throw new TreeError(
        "too_many_entries",
        `${path}: more than ${this.limits.maxEntries} files; import a part of it`,
      );
    }
    if (this.#names > this.limits.maxNameChars) {
      throw new TreeError("too_long_names", `${path}: its file names are too long; import a part of it`);
    }
  }

  take(path: string, size: number): void {
    this.#total += size;
    if (this.#total > this.limits.maxTotalBytes) {
      throw new TreeError(
        "too_large",
        `${path}: its files are larger than ${this.limits.maxTotalBytes} bytes; import a part of it`,
      );
    }
  }

  /** Real files are never compressed this tightly. */
  isBomb(size: number, packed: number): boolean {
    return size > this.limits.ratioExemptBytes && size > packed * this.limits.maxRatio;
  }
}

/** Returns a safe path for a name in an archive, or why the name is rejected. */
export function parseSafePath(name: string): { readonly path: string } | { readonly refused: string } {
  const path = name.replaceAll("\\", "/");
  if (path.includes("\0")) return { refused: "its name contains a NUL character" };
  if (/^([A-Za-z]:)?\//.test(path)) return { refused: "its name is absolute" };
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..")) return { refused: "its name points outside the archive" };
  if (parts.length === 0) return { refused: "its name is empty" };
  return { path: parts.join("/") };
}

export const compareByPath = (a: { path: string }, b: { path: string }): number =>
  a.path < b.path ? -1 : a.path > b.path ? 1 : 0;

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

/** The first `size` bytes of an entry. */
export const truncateEntry = (entry: Entry, size: number): Entry => ({
  ...entry,
  size,
  async *bytes(from = 0) {
    let left = size - from;
    if (left <= 0) return;
    for await (const chunk of entry.bytes(from)) {
      yield chunk.subarray(0, left);
      left -= chunk.length;
      if (left <= 0) return;
    }
  },
});

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
