import type { JsonObject } from "@pdpp/contract/declaration";
import { parseInstant } from "@pdpp/contract/instant";
import { deriveId } from "../core/identity.ts";
import { cleanText, isObject, toList, toNumber, toObject, toText } from "../core/text/clean.ts";
import { formatInstant } from "../core/time/times.ts";

/** Locations as apps on phones send them. */

export interface SentLocations {
  /** Records of the stream `points`. */
  readonly points: readonly JsonObject[];
  readonly rejections: readonly string[];
  /** The response that the app expects; undefined if it accepts any. */
  readonly reply?: [] | { readonly result: "ok" };
}

interface Sent {
  readonly source: string;
  readonly time: unknown;
  readonly latitude: unknown;
  readonly longitude: unknown;
  readonly accuracy: unknown;
  readonly altitude: unknown;
  readonly activity: unknown;
  readonly device: unknown;
}

/** Undefined if it is not what OwnTracks, Overland or a form sends. */
export const readLocations = (value: unknown): SentLocations | undefined =>
  Array.isArray(value) ? mergeLocations(value.map(readMessage)) : readMessage(value);

function readMessage(value: unknown): SentLocations | undefined {
  if (!isObject(value)) return undefined;
  if (typeof value._type === "string") return { ...readOwnTracks(value, value._type), reply: [] };
  if (Array.isArray(value.locations))
    return { ...collect(toList(value.locations).map(readOverland)), reply: { result: "ok" } };
  if (value.lat === undefined && value.latitude === undefined && value.lon === undefined) return undefined;
  return collect([
    createPoint({
      source: "form",
      time: value.time ?? value.timestamp ?? value.tst,
      latitude: value.lat ?? value.latitude,
      longitude: value.lon ?? value.lng ?? value.longitude,
      accuracy: value.acc ?? value.accuracy,
      altitude: value.alt ?? value.altitude,
      activity: value.act ?? value.activity,
      device: value.device,
    }),
  ]);
}

function mergeLocations(all: readonly (SentLocations | undefined)[]): SentLocations | undefined {
  const found = all.filter((each) => each !== undefined);
  if (found.length < all.length || found[0] === undefined) return undefined;
  const { reply } = found[0];
  return {
    points: found.flatMap(({ points }) => points),
    rejections: found.flatMap(({ rejections }) => rejections),
    ...(reply !== undefined && { reply }),
  };
}

const collect = (items: readonly (JsonObject | string)[]): SentLocations => ({
  points: items.filter((item) => typeof item !== "string"),
  rejections: items.filter((item) => typeof item === "string"),
});

/** Other types (status, waypoints, transitions) are accepted and ignored, else the app would send them for ever. */
function readOwnTracks(value: Record<string, unknown>, type: string): SentLocations {
  if (type === "encrypted")
    return collect(["the location is encrypted by OwnTracks; remove the encryption key in the app, and use https"]);
  if (type !== "location") return collect([]);
  const [motion] = toList(value.motionactivities);
  return collect([
    createPoint({
      source: "owntracks",
      time: value.tst,
      latitude: value.lat,
      longitude: value.lon,
      accuracy: value.acc,
      altitude: value.alt,
      activity: motion,
      // "owntracks/USER/DEVICE"
      device: toText(value.topic)?.split("/").at(-1) ?? value.tid,
    }),
  ]);
}

function readOverland(value: unknown): JsonObject | string {
  const { geometry, properties } = toObject(value);
  const [longitude, latitude] = toList(toObject(geometry).coordinates);
  const about = toObject(properties);
  const [motion] = toList(about.motion);
  return createPoint({
    source: "overland",
    time: about.timestamp,
    latitude,
    longitude,
    accuracy: about.horizontal_accuracy,
    altitude: about.altitude,
    activity: motion,
    device: about.device_id,
  });
}

/** The same point sent again has the same id. */
function createPoint(sent: Sent): JsonObject | string {
  const [latitude, longitude] = [toNumber(sent.latitude), toNumber(sent.longitude)];
  if (latitude === null || longitude === null) return "lat and lon must be numbers, in degrees";
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180) return "lat must be within 90 degrees, and lon within 180";
  const at = parseTime(sent.time);
  if (at === null) return "time is missing or not a time; send 2026-11-01T10:00:00Z, or seconds since 1970";
  const device = cleanOrNull(sent.device);
  return {
    id: deriveId("location", device, at, latitude, longitude),
    at,
    latitude,
    longitude,
    accuracy_m: toNumber(sent.accuracy),
    altitude_m: toNumber(sent.altitude),
    source: sent.source,
    activity: cleanOrNull(sent.activity)?.toUpperCase() ?? null,
    device,
  };
}

const maxTextChars = 200;

const cleanOrNull = (value: unknown): string | null => {
  const text = cleanText(toText(value) ?? "")
    .trim()
    .slice(0, maxTextChars);
  return text === "" ? null : text;
};

/** Beyond it, a number is in milliseconds. */
const maxSeconds = 1e11;

function parseTime(value: unknown): string | null {
  const number = toNumber(value);
  if (number !== null) return formatInstant(Math.round(number > maxSeconds ? number : number * 1000));
  return formatInstant(parseInstant(toText(value) ?? ""));
}
