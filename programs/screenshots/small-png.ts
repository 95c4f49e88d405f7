import { crc32, deflateSync, inflateSync } from "node:zlib";

/** Shrinks a screenshot to a palette of 256 colours, which is enough for text on a plain background. */

const signature = Buffer.from("89504e470d0a1a0a", "hex");

export function shrinkPng(bytes: Uint8Array): Uint8Array {
  const { width, height, channels, rows } = decodePixels(Buffer.from(bytes));
  const indexed = indexRows(rows, width, height, channels);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits per pixel, with a palette.
  header.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    signature,
    buildChunk("IHDR", header),
    buildChunk("PLTE", indexed.palette),
    buildChunk("IDAT", deflateSync(indexed.data, { level: 9 })),
    buildChunk("IEND", Buffer.alloc(0)),
  ]);
}

function buildChunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}

interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  readonly rows: Buffer;
}

function decodePixels(bytes: Buffer): Pixels {
  const parts: Buffer[] = [];
  let [width, height, channels] = [0, 0, 3];
  for (let at = signature.length; at < bytes.length; at += bytes.readUInt32BE(at) + 12) {
    const type = bytes.toString("latin1", at + 4, at + 8);
    const data = bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at));
    if (type === "IHDR") {
      [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)];
      channels = data[9] === 6 ? 4 : 3;
    }
    if (type === "IDAT") parts.push(data);
  }
  return {
    width,
    height,
    channels,
    rows: removeFilters(inflateSync(Buffer.concat(parts)), width * channels, channels),
  };
}

/** Undoes PNG's row filters. */
function removeFilters(data: Buffer, stride: number, channels: number): Buffer {
  const rows = Buffer.alloc((data.length / (stride + 1)) * stride);
  for (let row = 0; row * stride < rows.length; row += 1) {
    const filter = data[row * (stride + 1)];
    for (let i = 0; i < stride; i += 1) {
      const at = row * stride + i;
      const left = i < channels ? 0 : (rows[at - channels] ?? 0);
      const up = row === 0 ? 0 : (rows[at - stride] ?? 0);
      const corner = row === 0 || i < channels ? 0 : (rows[at - stride - channels] ?? 0);
      const guess = [0, left, up, (left + up) >> 1, predictPixel(left, up, corner)][filter ?? 0] ?? 0;
      rows[at] = (data[row * (stride + 1) + 1 + i] ?? 0) + guess;
    }
  }
  return rows;
}

function predictPixel(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [l, u, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  return l <= u && l <= c ? left : u <= c ? up : corner;
}

const mostColours = 256;

/** Keeps the most common colours and maps the others, mostly edges of letters, to the nearest of them. */
function indexRows(rows: Buffer, width: number, height: number, channels: number) {
  const readColour = (pixel: number): number => rows.readUIntBE(pixel * channels, 3);
  const counts = new Map<number, number>();
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    const colour = readColour(pixel);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const kept = [...counts].sort(([, a], [, b]) => b - a).map(([colour]) => colour);
  const palette = kept.slice(0, mostColours);
  const names = new Map(kept.map((colour, i) => [colour, i < mostColours ? i : findNearest(palette, colour)]));
  const data = Buffer.alloc((width + 1) * height);
  for (let pixel = 0; pixel < width * height; pixel += 1)
    data[Math.floor(pixel / width) * (width + 1) + 1 + (pixel % width)] = names.get(readColour(pixel)) ?? 0;
  return { palette: Buffer.from(palette.flatMap(splitChannels)), data };
}

const splitChannels = (colour: number): number[] => [colour >> 16, (colour >> 8) & 255, colour & 255];

function findNearest(palette: readonly number[], colour: number): number {
  const wanted = splitChannels(colour);
  const far = palette.map((each) =>
    splitChannels(each).reduce((sum, value, i) => sum + (value - (wanted[i] ?? 0)) ** 2, 0),
  );
  return far.indexOf(Math.min(...far));
}
