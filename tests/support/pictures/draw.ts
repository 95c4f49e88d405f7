import { readFile } from "node:fs/promises";
import { crc32, deflateSync } from "node:zlib";
import encodeJpeg, { init } from "@jsquash/jpeg/encode.js";

/** Pictures drawn by a program, for tests. */

export type Color = readonly [red: number, green: number, blue: number, alpha?: number];
type Draw = (x: number, y: number) => Color;

function drawPixels(width: number, height: number, draw: Draw): Uint8ClampedArray {
  const data = new Uint8ClampedArray(width * height * 4);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const [red, green, blue, alpha = 255] = draw(x, y);
      data.set([red, green, blue, alpha], (y * width + x) * 4);
    }
  return data;
}

function encodeChunk(name: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, "latin1"), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** A PNG whose header may lie about its size. */
export function encodePng(width: number, height: number, rows: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  const parts = [
    encodeChunk("IHDR", header),
    encodeChunk("IDAT", deflateSync(rows)),
    encodeChunk("IEND", Buffer.alloc(0)),
  ];
  return Buffer.concat([signature, ...parts]);
}

export function drawPng(width: number, height: number, draw: Draw): Buffer {
  const data = drawPixels(width, height, draw);
  const rows = Array.from({ length: height }, (_, y) =>
    Buffer.concat([Buffer.from([0]), Buffer.from(data.subarray(y * width * 4, (y + 1) * width * 4))]),
  );
  return encodePng(width, height, Buffer.concat(rows));
}

let isReady = false;

/** `orientation` is the number in its EXIF data. */
export async function drawJpeg(width: number, height: number, draw: Draw, orientation?: number): Promise<Buffer> {
  if (!isReady)
    await init({
      ...{ wasmBinary: await readFile(new URL(import.meta.resolve("@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm"))) },
      noInitialRun: true,
    });
  isReady = true;
  const picture = { data: drawPixels(width, height, draw), width, height };
  const plain = Buffer.from(await encodeJpeg(picture as unknown as Parameters<typeof encodeJpeg>[0], { quality: 90 }));
  return orientation === undefined ? plain : addExif(plain, orientation);
}

function addExif(jpeg: Buffer, orientation: number): Buffer {
  const tiff = Buffer.from("4d4d002a00000008" + "0001" + "0112000300000001" + "00000000" + "00000000", "hex");
  tiff.writeUInt16BE(orientation, 18);
  const content = Buffer.concat([Buffer.from("Exif\0\0", "latin1"), tiff]);
  const head = Buffer.from([0xff, 0xe1, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([jpeg.subarray(0, 2), head, content, jpeg.subarray(2)]);
}

/** A JPEG that consists of a header with these dimensions. */
export function encodeEmptyJpeg(width: number, height: number): Buffer {
  const frame = Buffer.from("ffd8ffc0001108000000000301220002110103110100", "hex");
  frame.writeUInt16BE(height, 7);
  frame.writeUInt16BE(width, 9);
  return frame;
}
