import { type FileHandle, open } from "node:fs/promises";
import { Readable } from "node:stream";
import { crc32 } from "node:zlib";
import yauzl from "yauzl";
import {
  type Budget,
  type Entry,
  parseSafePath,
  pickPlausibleTime,
  skipBytes,
  TreeError,
  type UnreadableEntry,
} from "./tree.ts";

/** Reads zip archives, including zip64. Entries are decompressed only when read. */

export interface Bytes {
  readonly size: number;
  slice(start: number, end: number): Readable;
  /** Returns the number of bytes read. */
  fill(buffer: Buffer, offset: number, length: number, position: number): Promise<number>;
}

class SliceReader extends yauzl.RandomAccessReader {
  readonly #bytes: Bytes;
  /** The read-ahead buffer, its position, and where the last read ended. */
  #ahead: Buffer = Buffer.alloc(0);
  #aheadAt = 0;
  #next = -1;

  constructor(bytes: Bytes) {
    super();
    this.#bytes = bytes;
  }
  override _readStreamForRange(start: number, end: number): Readable {
    return this.#bytes.slice(start, end);
  }
  /** Avoids creating a stream for each header, which would dominate the time. */
  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    done: (error: Error | null) => void,
  ): void {
    this.#fill(buffer, offset, length, position).then(
      (got) => done(got < length ? new Error("unexpected EOF") : null),
      (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
    );
  }

  /** The central directory is read sequentially, a few bytes at a time, so read ahead. */
  async #fill(buffer: Buffer, offset: number, length: number, position: number): Promise<number> {
    const isRow = position === this.#next;
    this.#next = position + length;
    if (!isRow || length > chunkBytes / 2) return this.#bytes.fill(buffer, offset, length, position);
    if (position < this.#aheadAt || position + length > this.#aheadAt + this.#ahead.length) {
      const room = Buffer.allocUnsafe(chunkBytes);
      this.#ahead = room.subarray(0, await this.#bytes.fill(room, 0, room.length, position));
      this.#aheadAt = position;
    }
    const from = position - this.#aheadAt;
    return this.#ahead.copy(buffer, offset, from, from + length);
  }
}

export async function openFileBytes(path: string): Promise<Bytes & { close(): Promise<void> }> {
  const file: FileHandle = await open(path, "r");
  const { size } = await file.stat();
  return {
    size,
    slice: (start, end) => Readable.from(readRange(file, start, end), { objectMode: false }),
    fill: async (buffer, offset, length, position) => (await file.read(buffer, offset, length, position)).bytesRead,
    close: () => file.close(),
  };
}

const chunkBytes = 65_536;

/** Not `createReadStream`, which closes the file handle when it is abandoned early. */
async function* readRange(file: FileHandle, start: number, end: number): AsyncGenerator<Uint8Array> {
  for (let at = start; at < end; ) {
    const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, end - at));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

export interface ZipContents {
  readonly entries: Entry[];
  readonly unreadable: UnreadableEntry[];
  /** Locates an uncompressed entry's bytes within the archive. */
  locateStored(entry: Entry): Promise<{ start: number; size: number } | undefined>;
}

/** An archive, and where its entries go in the tree. */
export interface ZipPlace {
  readonly prefix: string;
  readonly name: string;
  readonly source: string;
  readonly inside?: string;
  /** The archive's own time, for entries without one. */
  readonly modifiedAt: number;
}

const encrypted = "encrypted; unpack it with its password first";

export async function readZip(bytes: Bytes, where: ZipPlace, allowance: Budget): Promise<ZipContents> {
  const zip = await openZip(bytes, where.name);
  const entries: Entry[] = [];
  const unreadable: UnreadableEntry[] = [];
  const raws = new Map<Entry, yauzl.Entry>();
  const seen = new Set<string>();
  let total = 0;
  try {
    for await (const raw of zip.eachEntry()) {
      const name = decodeEntryName(raw);
      allowance.count(where.name, where.prefix + name);
      if (name.endsWith("/") || name.endsWith("\\")) continue;
      const refuse = (code: string, reason: string): void => {
        unreadable.push({ path: `${where.prefix}${name.replaceAll("\0", "")}`, code, reason });
      };
      const safe = parseSafePath(name);
      if ("refused" in safe) refuse("unsafe_name", safe.refused);
      else if (isLink(raw)) refuse("link", "symbolic links are not followed");
      else if (raw.isEncrypted()) refuse("encrypted", encrypted);
      else if (raw.compressionMethod !== 0 && raw.compressionMethod !== 8) {
        refuse("unknown_compression", "unsupported compression; unpack it first");
      } else if (raw.compressionMethod === 0 && raw.compressedSize !== raw.uncompressedSize) {
        refuse("damaged", "the archive contradicts itself about its size; download it again");
      } else if (allowance.isBomb(raw.uncompressedSize, raw.compressedSize)) {
        refuse(
          "bomb",
          `it would unpack from ${raw.compressedSize} to ${raw.uncompressedSize} bytes, which no real file does`,
        );
      } else if (seen.has(safe.path)) refuse("same_name", "another file in the archive has the same name");
      else {
        seen.add(safe.path);
        total += raw.uncompressedSize;
        if (allowance.isBomb(total, bytes.size)) throw createBombError(where.name);
        allowance.take(where.name, raw.uncompressedSize);
        const entry: Entry = {
          path: `${where.prefix}${safe.path}`,
          size: raw.uncompressedSize,
          modifiedAt: pickPlausibleTime(raw.getLastModDate({ timezone: "UTC" }).getTime(), where.modifiedAt),
          crc: raw.crc32,
          source: where.source,
          ...(where.inside === undefined ? {} : { inside: where.inside }),
          bytes: (from = 0) => skipBytes(readEntryBytes(zip, raw, safe.path), from),
        };
        raws.set(entry, raw);
        entries.push(entry);
      }
    }
  } catch (error) {
    throw toTreeError(error, where.name);
  }
  // Report an archive with a password once, not for each of its files.
  if (entries.length === 0 && unreadable.length > 1 && unreadable.every(({ code }) => code === "encrypted"))
    unreadable.splice(0, unreadable.length, { path: where.name, code: "encrypted", reason: encrypted });
  return {
    entries,
    unreadable,
    async locateStored(entry) {
      const raw = raws.get(entry);
      if (raw === undefined || raw.compressionMethod !== 0) return undefined;
      const { fileDataStart } = await zip.readLocalFileHeaderPromise(raw, { minimal: true });
      return { start: fileDataStart, size: raw.uncompressedSize };
    },
  };
}

const createBombError = (name: string): TreeError =>
  new TreeError("bomb", `${name}: its files overlap, or unpack to far more data than a real archive`);

async function openZip(bytes: Bytes, name: string): Promise<yauzl.ZipFile> {
  const options = {
    lazyEntries: true,
    autoClose: false,
    decodeStrings: false,
    strictFileNames: false,
    // With yauzl's check, one wrong size would fail all later files; sizes are checked while reading instead.
    validateEntrySizes: false,
  };
  try {
    return await yauzl.fromRandomAccessReaderPromise(new SliceReader(bytes), bytes.size, options);
  } catch (error) {
    throw toTreeError(error, name);
  }
}

function toTreeError(error: unknown, name: string): TreeError {
  if (error instanceof TreeError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (/end of central directory|unexpected EOF|end of file/i.test(message)) {
    return new TreeError("truncated", `${name} is incomplete: its end is missing; download it again`);
  }
  return new TreeError("damaged", `${name} is a damaged archive (${message}); download it again`);
}

/** Many programs write UTF-8 without setting the flag; other names are decoded as CP437. */
function decodeEntryName(raw: yauzl.Entry): string {
  const bytes = raw.fileNameRaw;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return yauzl.getFileNameLowLevel(raw.generalPurposeBitFlag, bytes, raw.extraFields, true);
  }
}

const isLink = (raw: yauzl.Entry): boolean =>
  raw.versionMadeBy >> 8 === 3 && ((raw.externalFileAttributes >>> 16) & 0o170000) === 0o120000;

async function* readEntryBytes(zip: yauzl.ZipFile, raw: yauzl.Entry, path: string): AsyncGenerator<Uint8Array> {
  let crc = 0;
  let size = 0;
  const createDamageError = (what: string): TreeError =>
    new TreeError("damaged", `${path} is damaged in the archive (its ${what} differs); download it again`);
  try {
    const stream: AsyncIterable<Uint8Array> = await zip.openReadStreamPromise(raw);
    for await (const chunk of stream) {
      size += chunk.length;
      if (size > raw.uncompressedSize) throw createDamageError("size");
      crc = crc32(chunk, crc);
      yield chunk;
    }
  } catch (error) {
    throw toTreeError(error, path);
  }
  if (size !== raw.uncompressedSize) throw createDamageError("size");
  if (crc !== raw.crc32) throw createDamageError("checksum");
}

/** For an archive that is stored uncompressed in another. */
export const sliceBytes = (outer: Bytes, start: number, size: number): Bytes => ({
  size,
  slice: (from, to) => outer.slice(start + from, start + Math.min(to, size)),
  fill: (buffer, offset, length, position) =>
    outer.fill(buffer, offset, Math.min(length, Math.max(0, size - position)), start + position),
});
