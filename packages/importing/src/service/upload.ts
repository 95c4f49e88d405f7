import { createWriteStream } from "node:fs";
import { readdir, statfs, utimes } from "node:fs/promises";
import { extname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { ReceivedFile } from "@pdpp/console/import/import-service";
import { PdppError } from "@pdpp/contract/errors";
import { getErrorCode } from "@pdpp/server/system-error";

export interface UploadLimits {
  readonly maxBytes: number;
  readonly maxFiles: number;
  /** Disk space to leave free for the vault. */
  readonly reservedBytes: number;
  readonly getFreeBytes: (folder: string) => Promise<number>;
}

export const defaultUploadLimits: UploadLimits = {
  maxBytes: 20_000_000_000,
  maxFiles: 1000,
  reservedBytes: 1_000_000_000,
  getFreeBytes: async (folder) => {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  },
};

/** Free space is checked again after this many bytes. */
const stepBytes = 64_000_000;

export class Upload {
  readonly #folder: string;
  readonly #limits: UploadLimits;
  readonly #paths: string[] = [];
  #bytes = 0;

  constructor(folder: string, limits: UploadLimits) {
    this.#folder = folder;
    this.#limits = limits;
  }

  get paths(): readonly string[] {
    return this.#paths;
  }

  async checkRoom(more: number): Promise<void> {
    const { maxBytes: mostBytes, reservedBytes: keptFree, getFreeBytes: free } = this.#limits;
    if (this.#bytes + more > mostBytes)
      throw new PdppError("resource_limit", `uploads are limited to ${formatSize(mostBytes)}; ${byCommand}`);
    const room = (await free(this.#folder)) - keptFree;
    if (more > room) throw createNoSpaceError(Math.max(0, room));
  }

  async add({ name, modifiedAt, bytes }: ReceivedFile): Promise<void> {
    if (this.#paths.length >= this.#limits.maxFiles)
      throw new PdppError(
        "resource_limit",
        `uploads are limited to ${this.#limits.maxFiles} files; put them into one archive`,
      );
    const path = join(this.#folder, pickUnusedName(sanitizeName(name), await readdir(this.#folder)));
    this.#paths.push(path);
    await pipeline(this.#counted(bytes), createWriteStream(path, { flags: "wx", mode: 0o600 })).catch((error) => {
      throw getErrorCode(error) === "ENOSPC" ? createNoSpaceError(0) : error;
    });
    // Importers use the modification time of a plain file as the export date.
    if (modifiedAt !== undefined && isTime(modifiedAt)) await utimes(path, modifiedAt / 1000, modifiedAt / 1000);
  }

  async *#counted(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let sinceLooked = stepBytes;
    for await (const chunk of bytes) {
      sinceLooked += chunk.length;
      if (sinceLooked >= stepBytes || this.#bytes + chunk.length > this.#limits.maxBytes) {
        await this.checkRoom(chunk.length);
        sinceLooked = 0;
      }
      this.#bytes += chunk.length;
      yield chunk;
    }
  }
}

const byCommand = "run pdpp import FILE on the computer that has the vault";

const createNoSpaceError = (room: number): PdppError =>
  new PdppError(
    "resource_limit",
    `not enough space on the server's disk: ${formatSize(room)} available; free some space and try again`,
  );

const formatSize = (bytes: number): string =>
  bytes >= 1e9 ? `${Math.floor(bytes / 1e9)} GB` : bytes >= 1e6 ? `${Math.floor(bytes / 1e6)} MB` : `${bytes} bytes`;

const isTime = (at: number): boolean => at > 0 && at < Date.now() + 86_400_000;

const maxNameBytes = 180;

/** Removes path separators but keeps the name otherwise: importers use it to label exports and to match parts. */
function sanitizeName(input: string): string {
  const last = input.toWellFormed().normalize("NFC").split(/[/\\]/).at(-1) ?? "";
  const name = last.replace(/\p{Cc}/gu, "").trim();
  if (/^\.*$/.test(name)) return "file";
  if (Buffer.byteLength(name) <= maxNameBytes) return name;
  const ending = extname(name).slice(0, 16).toWellFormed();
  let stem = "";
  for (const char of name) {
    if (Buffer.byteLength(stem + char + ending) > maxNameBytes) break;
    stem += char;
  }
  return `${stem}${ending}`;
}

function pickUnusedName(name: string, taken: readonly string[]): string {
  const ending = extname(name);
  const stem = name.slice(0, name.length - ending.length);
  for (let n = 1; ; n += 1) {
    const free = n === 1 ? name : `${stem} (${n})${ending}`;
    if (!taken.includes(free)) return free;
  }
}
