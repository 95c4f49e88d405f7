import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { createGunzip } from "node:zlib";
import { extract } from "tar-stream";
import { type Budget, type Entry, parseSafePath, pickPlausibleTime, TreeError, type UnreadableEntry } from "./tree.ts";

/** Reads a tar archive, compressed or not. Tar is sequential, so its files are first written to one spool file. */
export async function readTar(
  file: string,
  isCompressed: boolean,
  where: {
    readonly prefix: string;
    readonly name: string;
    readonly source: string;
    readonly spool: string;
    readonly packed: number;
    /** The archive's own time, for entries without one. */
    readonly modifiedAt: number;
  },
  allowance: Budget,
): Promise<{ entries: Entry[]; unreadable: UnreadableEntry[] }> {
  const entries: Entry[] = [];
  const unreadable: UnreadableEntry[] = [];
  const spooled = join(where.spool, randomUUID());
  const out = await open(spooled, "wx", 0o600);
  let written = 0;
  let grown = 0;
  const raw = createReadStream(file);
  const unpacked = isCompressed ? raw.pipe(createGunzip()) : raw;
  try {
    raw.on("error", (error) => unpacked.destroy(error));
    const archive = extract();
    unpacked.on("error", (error) => archive.destroy(error));
    unpacked.pipe(archive);
    // Counts rejected entries too, because they must be unpacked to reach the next ones.
    unpacked.on("data", (bytes: Uint8Array) => {
      grown += bytes.length;
      if (allowance.isBomb(grown, where.packed)) archive.destroy(createBombError(where.name));
    });
    for await (const item of archive) {
      const { name, type, mtime, size = 0 } = item.header;
      allowance.count(where.name, where.prefix + name);
      const safe = parseSafePath(name);
      const refuse = (code: string, reason: string): void =>
        void unreadable.push({ path: where.prefix + name, code, reason });
      if (type === "directory" || "refused" in safe || (type !== "file" && type !== "contiguous-file")) {
        if ("refused" in safe && type !== "directory") refuse("unsafe_name", safe.refused);
        else if (type === "symlink" || type === "link") refuse("link", "symbolic links are not followed");
        else if (type !== "directory") refuse("special", "not a regular file");
        item.resume();
        continue;
      }
      allowance.take(where.name, size);
      const start = written;
      for await (const bytes of item) {
        if (!(bytes instanceof Uint8Array)) continue;
        await out.writeFile(bytes);
        written += bytes.length;
      }
      const end = written;
      entries.push({
        path: where.prefix + safe.path,
        size: end - start,
        modifiedAt: pickPlausibleTime(mtime?.getTime(), where.modifiedAt),
        source: where.source,
        bytes: (from = 0) => readRange(spooled, start + from, end),
      });
    }
  } catch (error) {
    // A write error is not the archive's fault.
    if (error instanceof TreeError || (error instanceof Error && "syscall" in error)) throw error;
    const message = error instanceof Error ? error.message : String(error);
    if (/unexpected end/i.test(message)) {
      throw new TreeError("truncated", `${where.name} is incomplete: its end is missing; download it again`);
    }
    throw new TreeError("damaged", `${where.name} is a damaged archive (${message}); download it again`);
  } finally {
    raw.destroy();
    unpacked.destroy();
    await out.close();
  }
  return { entries, unreadable };
}

const createBombError = (name: string): TreeError =>
  new TreeError("bomb", `${name} would unpack to far more data than a real archive`);

async function* readRange(file: string, start: number, end: number): AsyncGenerator<Uint8Array> {
  if (end <= start) return;
  yield* createReadStream(file, { start, end: end - 1, highWaterMark: 262_144 });
}
