/** Reads type and dimensions of a picture from its bytes, so that its size is known before it is decoded. */

export interface PictureHeader {
  readonly type: "jpeg" | "png" | "webp";
  readonly width: number;
  readonly height: number;
}

/** Undefined for other formats, and for headers that are damaged. */
export function readPictureHeader(bytes: Uint8Array): PictureHeader | undefined {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const found = readJpeg(view) ?? readPng(view) ?? readWebp(view);
    return found !== undefined && found.width > 0 && found.height > 0 ? found : undefined;
  } catch {
    // The header is cut off.
    return undefined;
  }
}

/** Markers 0xc0 to 0xcf start a frame, except for three tables. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
/** Other frames are arithmetic, lossless or hierarchical, which cameras never write. */
const isUsualFrame = (marker: number): boolean => marker <= 0xc2;

function readJpeg(view: Buffer): PictureHeader | undefined {
  if (view.readUInt16BE(0) !== 0xffd8) return undefined;
  for (let at = 2; view[at] === 0xff; ) {
    const marker = view.readUInt8(at + 1);
    if (isFrame(marker)) {
      const size = { height: view.readUInt16BE(at + 5), width: view.readUInt16BE(at + 7) };
      return isUsualFrame(marker) ? { type: "jpeg", ...size } : undefined;
    }
    // The bytes 0xff before a marker are padding.
    at += marker === 0xff ? 1 : 2 + Math.max(2, view.readUInt16BE(at + 2));
  }
  return undefined;
}

const pngSignature = "\x89PNG\r\n\x1a\n";

function readPng(view: Buffer): PictureHeader | undefined {
  if (view.toString("latin1", 0, 8) !== pngSignature || view.toString("latin1", 12, 16) !== "IHDR") return undefined;
  return { type: "png", width: view.readUInt32BE(16), height: view.readUInt32BE(20) };
}

function readWebp(view: Buffer): PictureHeader | undefined {
  if (view.toString("latin1", 0, 4) !== "RIFF" || view.toString("latin1", 8, 12) !== "WEBP") return undefined;
  const chunk = view.toString("latin1", 12, 16);
  if (chunk === "VP8X") return { type: "webp", width: view.readUIntLE(24, 3) + 1, height: view.readUIntLE(27, 3) + 1 };
  if (chunk === "VP8L") {
    const packed = view.readUInt32LE(21);
    return { type: "webp", width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
  }
  if (chunk === "VP8 ")
    return { type: "webp", width: view.readUInt16LE(26) & 0x3fff, height: view.readUInt16LE(28) & 0x3fff };
  return undefined;
}
