import exifr from "exifr";
import { isObject, toList, toText } from "../../core/text/clean.ts";

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

const pick = [
  ...["DateTimeOriginal", "CreateDate", "ModifyDate", "OffsetTimeOriginal", "OffsetTime", "ImageDescription"],
  ...["Make", "Model", "GPSLatitude", "GPSLatitudeRef", "GPSLongitude", "GPSLongitudeRef"],
  ...["GPSDateStamp", "GPSTimeStamp"],
];

/** Reads EXIF data from the start of a JPEG, HEIC, AVIF, PNG or TIFF file; null if it has no such data. */
export async function findExif(head: Buffer): Promise<Exif | null> {
  try {
    const tags: unknown = await exifr.parse(cutToExif(head), { pick, reviveValues: false, translateValues: false });
    return isObject(tags) ? readTags(tags) : null;
  } catch {
    return null;
  }
}

/** Guards against what exifr does not limit: inflating the color profile of a PNG, and boxes of length 0 in a HEIC file. */
export function cutToExif(head: Buffer): Buffer {
  const isPng = head.toString("latin1", 1, 4) === "PNG";
  const start = isPng ? head.indexOf("eXIf", 0, "latin1") + 4 : 0;
  const isReadable = isPng ? start > 3 : head[0] !== 0 || hasMetaBox(head);
  return isReadable ? head.subarray(start) : Buffer.alloc(0);
}

function hasMetaBox(head: Buffer): boolean {
  for (let at = 0; at + 8 <= head.length; at += head.readUInt32BE(at)) {
    if (head.toString("latin1", at + 4, at + 8) === "meta") return true;
    if (head.readUInt32BE(at) < 8) return false;
  }
  return false;
}

function readTags(tags: Record<string, unknown>): Exif {
  const getText = (name: string): string | null =>
    toText(tags[name])
      ?.replace(/\0[\s\S]*$/, "")
      .trim() || null;
  return {
    time: getText("DateTimeOriginal") ?? getText("CreateDate") ?? getText("ModifyDate"),
    offset: getText("OffsetTimeOriginal") ?? getText("OffsetTime"),
    satelliteTime: parseSatelliteTime(getText("GPSDateStamp"), tags.GPSTimeStamp),
    make: getText("Make"),
    model: getText("Model"),
    latitude: toDegrees(tags.latitude, 90),
    longitude: toDegrees(tags.longitude, 180),
    description: getText("ImageDescription"),
  };
}

const toDegrees = (value: unknown, max: number): number | null =>
  typeof value !== "number" || value === 0 || !(Math.abs(value) <= max) ? null : Math.round(value * 1e6) / 1e6;

function parseSatelliteTime(date: string | null, clock: unknown): number | null {
  const [, year, month, day] = /^(\d{4}):(\d\d):(\d\d)$/.exec(date ?? "") ?? [];
  const [hour, minute, second] = toList(clock).map(Number);
  const at = Date.UTC(Number(year), Number(month) - 1, Number(day), hour, minute, second);
  return Number.isFinite(at) ? at : null;
}
