import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { Head } from "../../core/importer.ts";
import type { Entry } from "../../tree/tree.ts";
import { readFit } from "./fit.ts";
import { type Found, readGpx, readTcx } from "./gpx.ts";

/** The tracks of one file, in any format. */

export interface ReadFile {
  readonly found: readonly Found[];
  /** Why part of it could not be read. */
  readonly failure: string | null;
  /** The file type, if it is not an activity. */
  readonly note?: string;
}

const maxBytes = 64 * 1024 * 1024;

export const isTrackFile = (path: string, { bytes, text }: Head): boolean =>
  /\.(gpx|tcx|fit)\.gz$/i.test(path) ||
  Buffer.from(bytes.subarray(8, 12)).toString("latin1") === ".FIT" ||
  /^\s*(<\?xml[^>]*>\s*)?(<!--(?:(?!-->)[\s\S])*-->\s*)*<(gpx|TrainingCenterDatabase)[\s>]/.test(text);

export const detectTrackType = (path: string): string =>
  /\.gz$/i.test(path)
    ? "application/gzip"
    : /\.gpx$/i.test(path)
      ? "application/gpx+xml"
      : /\.tcx$/i.test(path)
        ? "application/vnd.garmin.tcx+xml"
        : "application/octet-stream";

export async function readTrackFile(entry: Entry): Promise<ReadFile> {
  const openBytes = (): AsyncIterable<Uint8Array> => (/\.gz$/i.test(entry.path) ? unzip(entry) : entry.bytes());
  let head = Buffer.alloc(0);
  for await (const chunk of openBytes()) {
    head = Buffer.concat([head, chunk]);
    if (head.length >= 4096) break;
  }
  if (head.toString("latin1", 8, 12) === ".FIT") return readFitFile(openBytes());
  const isTcx = /<TrainingCenterDatabase[\s>]/.test(head.toString("latin1"));
  return { found: await (isTcx ? readTcx : readGpx)(trimStart(openBytes())), failure: null };
}

/** FIT file types that are not activities. */
const kinds: Readonly<Record<number, string>> = {
  2: "settings",
  3: "sport settings",
  5: "a planned workout",
  6: "a course",
  9: "a weight",
  10: "totals",
  15: "daily monitoring",
  28: "daily monitoring",
  32: "daily monitoring",
};

async function readFitFile(chunks: AsyncIterable<Uint8Array>): Promise<ReadFile> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`);
    parts.push(chunk);
  }
  const { found, type, failure } = readFit(Buffer.concat(parts));
  return { found, failure, note: `contains ${kinds[type ?? -1] ?? "no activity"}, but no track` };
}

/** Some programs write blank lines before the first tag, which XML forbids. */
async function* trimStart(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isStart = true;
  for await (const chunk of chunks) {
    if (!isStart) yield chunk;
    else {
      const first = chunk.findIndex((byte) => byte > 0x20 && byte < 0x80);
      if (first < 0) continue;
      isStart = false;
      yield chunk.subarray(first);
    }
  }
}

async function* unzip(entry: Entry): AsyncGenerator<Uint8Array> {
  const stream = Readable.from(entry.bytes()).pipe(createGunzip());
  let size = 0;
  const chunks: AsyncIterable<Uint8Array> = stream;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > maxBytes * 4) throw new Error("it unpacks to more data than a real file");
    yield chunk;
  }
}
