import { readFile } from "node:fs/promises";
import decodeJpeg, { init as initJpeg } from "@jsquash/jpeg/decode.js";
import encodeJpeg, { init as initEncoder } from "@jsquash/jpeg/encode.js";
import decodePng, { init as initPng } from "@jsquash/png/decode.js";
import decodeWebp, { init as initWebp } from "@jsquash/webp/decode.js";
import exifr from "exifr";
import { answerTasks } from "../core/workers/answer-tasks.ts";
import { cutToExif } from "../formats/photos/exif.ts";
import { drawFirstPage, isPdf } from "./pdf-page.ts";
import { type PictureHeader, readPictureHeader } from "./picture-header.ts";
import { applyOrientation, getThumbnailSize, type Pixels, scaleDown } from "./pixels.ts";

export interface ThumbnailTask {
  readonly bytes: Uint8Array;
  readonly maxPixels: number;
}

/** Decoders return this class of browsers, which Node.js lacks. */
class DecodedImage {
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;

  constructor(data: Uint8ClampedArray, width: number, height: number) {
    this.data = data;
    this.width = width;
    this.height = height;
  }
}
Object.assign(globalThis, { ImageData: DecodedImage });

const load = (path: string): Promise<Uint8Array> => readFile(new URL(import.meta.resolve(path)));

/** Decoders describe damaged pictures on the console, which would hide why this process ended. */
const loadOptions = async (path: string) => ({
  wasmBinary: await load(path),
  noInitialRun: true,
  print: () => undefined,
  printErr: () => undefined,
});

const isReady = new Set<string>();
async function initOnce(name: string, init: () => Promise<unknown>): Promise<void> {
  if (isReady.has(name)) return;
  await init();
  isReady.add(name);
}

async function decode({ type }: PictureHeader, bytes: ArrayBuffer): Promise<Pixels> {
  if (type === "jpeg") {
    await initOnce(type, async () => initJpeg(await loadOptions("@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm")));
    return decodeJpeg(bytes);
  }
  if (type === "png") {
    await initOnce(type, async () => initPng(await load("@jsquash/png/codec/pkg/squoosh_png_bg.wasm")));
    return decodePng(bytes);
  }
  await initOnce(type, async () => initWebp(await loadOptions("@jsquash/webp/codec/dec/webp_dec.wasm")));
  return decodeWebp(bytes);
}

/** EXIF data is in the first segment, which has at most 64 kB. */
const exifBytes = 128 * 1024;

/** The thumbnail of a document is its first page, large enough to recognize its text. */
async function makeThumbnail(task: ThumbnailTask): Promise<Uint8Array<ArrayBuffer>> {
  const small = isPdf(task.bytes) ? await drawFirstPage(task.bytes) : await scalePicture(task);
  await initOnce("encoder", async () => initEncoder(await loadOptions("@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm")));
  return new Uint8Array(await encodeJpeg(small, { quality: 72 })).slice();
}

async function scalePicture({ bytes, maxPixels }: ThumbnailTask): Promise<Pixels> {
  const head = cutToExif(Buffer.from(bytes.subarray(0, exifBytes)));
  const header = readPictureHeader(bytes);
  const isDecodable = header !== undefined && header.width * header.height <= maxPixels;
  const pixels = isDecodable ? await decode(header, toBuffer(bytes)) : await decodeEmbedded(head, maxPixels);
  if (pixels.width * pixels.height > maxPixels) throw new Error("the picture is larger than its header says");
  const orientation = await exifr.orientation(head).catch(() => undefined);
  return applyOrientation(scaleDown(pixels, getThumbnailSize(pixels.width, pixels.height)), orientation ?? 1);
}

/** The small picture that cameras put into the EXIF data of a large one. */
async function decodeEmbedded(head: Buffer, maxPixels: number): Promise<Pixels> {
  const embedded = await exifr.thumbnail(head).catch(() => undefined);
  const header = embedded === undefined ? undefined : readPictureHeader(embedded);
  if (embedded === undefined || header === undefined || header.width * header.height > maxPixels)
    throw new Error("this picture is too large or has a format that cannot be shown");
  return decode(header, toBuffer(embedded));
}

const toBuffer = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer;

answerTasks(makeThumbnail);
