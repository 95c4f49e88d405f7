import { parseInstant } from "@pdpp/contract/instant";
import { isObject, toList, toNumber, toText } from "../../core/text/clean.ts";
import { formatInstant } from "../../core/time/times.ts";

/** Places and times in all generations of Google Timeline. */

export interface Place {
  readonly latitude: number;
  readonly longitude: number;
}

/** Parses `48.1°, 11.5°` and `geo:48.1,11.5`, objects that contain them, and E7 integers. */
export function parsePlace(value: unknown): Place | null {
  if (typeof value === "string") {
    const found = /^(?:geo:)?\s*(-?\d+(?:\.\d+)?)°?\s*,\s*(-?\d+(?:\.\d+)?)°?/.exec(value);
    return found === null ? null : toValidPlace(Number(found[1]), Number(found[2]));
  }
  if (!isObject(value)) return null;
  // Points of old paths use short names.
  const latitude = toNumber(value.latitudeE7) ?? toNumber(value.latE7);
  const longitude = toNumber(value.longitudeE7) ?? toNumber(value.lngE7);
  if (latitude !== null && longitude !== null) return toValidPlace(fromE7(latitude), fromE7(longitude));
  return parsePlace(value.latLng ?? value.LatLng ?? value.point ?? null);
}

/** Some old exports wrote negative numbers as unsigned integers. */
const fromE7 = (value: number): number => (value > 1_800_000_000 ? value - 4_294_967_296 : value) / 1e7;

const toValidPlace = (latitude: number, longitude: number): Place | null =>
  Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? { latitude, longitude } : null;

/** The text unchanged, if it is a valid time; otherwise from milliseconds since 1970. */
export function parseTime(value: unknown, milliseconds?: unknown): string | null {
  const written = toText(value);
  if (written !== null && parseInstant(written) !== null) return written;
  return formatInstant(toNumber(milliseconds));
}

export interface PathPoint extends Place {
  readonly at: string;
}

/** Points of a path have a time, or only minutes since its start, in any order. */
export function parsePath(list: unknown, start: string | null): PathPoint[] {
  const began = start === null ? null : parseInstant(start);
  return toList(list).flatMap((value): PathPoint[] => {
    if (!isObject(value)) return [];
    const place = parsePlace(value.point ?? value.latLng ?? value);
    const minutes = toNumber(value.durationMinutesOffsetFromStartTime);
    const computed = began === null || minutes === null ? null : formatInstant(began + minutes * 60_000);
    const at = parseTime(value.time ?? value.timestamp, value.timestampMs) ?? computed;
    return place === null || at === null ? [] : [{ ...place, at }];
  });
}
