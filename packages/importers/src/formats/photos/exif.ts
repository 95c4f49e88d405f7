import { cleanText } from "../../core/text/clean.ts";

/** Camera metadata: when, with what device, where. */
export interface Exif {
  /** Camera time: `2024:01:31 10:00:00`. */
  readonly time: string | null;
  /** `+01:00`, if the camera recorded it. */
  readonly offset: string | null;
  /** GPS time, in epoch milliseconds. */
  readonly satelliteTime: number | null;
  readonly make: string | null;
  readonly model: string | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly description: string | null;
}

type Value = string | readonly number[];

/** Reads EXIF data from the start of a JPEG, HEIC, PNG or TIFF file; null if there is none. */
export function findExif(head: Buffer): Exif | null {
  const start = findStart(head);
  if (start < 0) return null;
  try {
    return readExif(head.subarray(start));
  } catch {
    return null;
  }
}

function findStart(head: Buffer): number {
  const tiff = head.toString("latin1", 0, 4);
  if (tiff === "II*\0" || tiff === "MM\0*") return 0;
  const marker = head.indexOf("Exif\0\0", 0, "latin1");
  if (marker >= 0) return marker + 6;
  const chunk = head.indexOf("eXIf", 0, "latin1");
  return chunk < 0 ? -1 : chunk + 4;
}

const sizes: Readonly<Record<number, number>> = { 1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1, 9: 4, 10: 8 };
const mostTags = 500;

function readExif(bytes: Buffer): Exif | null {
  const order = bytes.toString("latin1", 0, 2);
  if (order !== "II" && order !== "MM") return null;
  const isBig = order === "MM";
  const readU16 = (at: number): number => (isBig ? bytes.readUInt16BE(at) : bytes.readUInt16LE(at));
  const readU32 = (at: number): number => (isBig ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at));
  const readDirectory = (at: number): Map<number, Value> => {
    const tags = new Map<number, Value>();
    if (at === 0 || at + 2 > bytes.length) return tags;
    const count = Math.min(readU16(at), mostTags);
    for (let n = 0; n < count; n += 1) {
      const entry = at + 2 + n * 12;
      if (entry + 12 > bytes.length) break;
      const [tag, type, length] = [readU16(entry), readU16(entry + 2), readU32(entry + 4)];
      const size = (sizes[type] ?? 0) * length;
      const from = size <= 4 ? entry + 8 : readU32(entry + 8);
      if (size === 0 || size > 65_536 || from + size > bytes.length) continue;
      if (type === 2)
        tags.set(tag, cleanText(bytes.toString("utf8", from, from + length).replace(/\0[\s\S]*$/, "")).trim());
      else if (type === 3)
        tags.set(
          tag,
          Array.from({ length }, (_, i) => readU16(from + i * 2)),
        );
      else if (type === 4 || type === 9)
        tags.set(
          tag,
          Array.from({ length }, (_, i) => readU32(from + i * 4)),
        );
      else if (type === 5 || type === 10)
        tags.set(
          tag,
          Array.from({ length }, (_, i) => readU32(from + i * 8) / (readU32(from + i * 8 + 4) || 1)),
        );
    }
    return tags;
  };
  const first = readDirectory(readU32(4));
  const camera = readDirectory(toNumber(first.get(0x8769)));
  const place = readDirectory(toNumber(first.get(0x8825)));
  const time = toText(camera.get(0x9003)) ?? toText(camera.get(0x9004)) ?? toText(first.get(0x0132));
  return {
    time,
    offset: toText(camera.get(0x9011)) ?? toText(camera.get(0x9010)),
    satelliteTime: parseSatelliteTime(place),
    make: toText(first.get(0x010f)),
    model: toText(first.get(0x0110)),
    latitude: toDegrees(place.get(2), toText(place.get(1)), "S", 90),
    longitude: toDegrees(place.get(4), toText(place.get(3)), "W", 180),
    description: toText(first.get(0x010e)),
  };
}

const toText = (value: Value | undefined): string | null => (typeof value === "string" && value !== "" ? value : null);
const toNumber = (value: Value | undefined): number =>
  Array.isArray(value) && typeof value[0] === "number" ? value[0] : 0;

function toDegrees(value: Value | undefined, side: string | null, negative: string, most: number): number | null {
  if (value === undefined || typeof value === "string" || side === null) return null;
  const [whole = 0, minutes = 0, seconds = 0] = value;
  const size = whole + minutes / 60 + seconds / 3600;
  if (!Number.isFinite(size) || size > most || (size === 0 && minutes === 0)) return null;
  return Math.round((side === negative ? -size : size) * 1e6) / 1e6;
}

function parseSatelliteTime(place: ReadonlyMap<number, Value>): number | null {
  const [, year, month, day] = /^(\d{4}):(\d\d):(\d\d)$/.exec(toText(place.get(0x1d)) ?? "") ?? [];
  const clock = place.get(7);
  if (year === undefined || clock === undefined || typeof clock === "string") return null;
  const [hour = 0, minute = 0, second = 0] = clock;
  const at = Date.UTC(Number(year), Number(month) - 1, Number(day), hour, minute, second);
  return Number.isFinite(at) ? at : null;
}
