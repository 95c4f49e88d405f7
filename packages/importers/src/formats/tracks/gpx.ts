import { readXml } from "../../core/parsing/xml-stream.ts";
import { cleanText, toNumber } from "../../core/text/clean.ts";
import { type Point, Track } from "./track.ts";

/** The contents of a file: recorded tracks, planned routes, or waypoints. */
export interface Found {
  readonly kind: "track" | "route" | "waypoints";
  readonly track: Track;
}

const parseNumber = (text: string | undefined): number | undefined => toNumber(text) ?? undefined;
const getText = (text: string): string | null => (text === "" ? null : cleanText(text));

type Draft = { -readonly [Key in keyof Point]: Point[Key] };

/** Reads GPX of all versions. */
export async function readGpx(chunks: AsyncIterable<Uint8Array>): Promise<Found[]> {
  const found: Found[] = [];
  const places = new Track();
  let [creator, title, made] = ["", "", Number.NaN];
  let track = new Track();
  let point: Draft = {};
  await readXml(chunks, {
    open(path, attributes) {
      const name = path.at(-1);
      if (name === "gpx") creator = attributes.creator ?? "";
      if (name === "trk" || name === "rte") track = new Track();
      if (name === "trkseg") track.pause();
      if (name === "trkpt" || name === "rtept" || name === "wpt")
        point = { lat: parseNumber(attributes.lat), lon: parseNumber(attributes.lon) };
    },
    close(path, text) {
      const [name, above] = [path.at(-1), path.at(-2)];
      const isInPoint = path.some((each) => /^(trkpt|rtept|wpt)$/.test(each));
      if (isInPoint && path.at(-1)?.endsWith("pt") !== true) {
        if (name === "ele") point.elevation = parseNumber(text);
        else if (name === "time") point.at = parseTime(text);
        else if (name === "hr") point.heartRate = parseNumber(text);
        else if (name === "power" || name === "PowerInWatts") point.watts = parseNumber(text);
      } else if (name === "trkpt" || name === "rtept") track.add(point);
      else if (name === "wpt") {
        places.add(point);
        places.pause();
      } else if (name === "trk" || name === "rte") found.push({ kind: name === "trk" ? "track" : "route", track });
      else if (above === "trk" || above === "rte") {
        if (name === "name") track.name = getText(text);
        else if (name === "desc" || name === "cmt") track.description ??= getText(text);
        else if (name === "type") track.sport = getText(text);
      } else if (above === "metadata" || above === "gpx") {
        if (name === "name") title = text;
        if (name === "time") made = parseTime(text) ?? Number.NaN;
      }
    },
  });
  if (found.length === 0 && places.points > 0) found.push({ kind: "waypoints", track: places });
  for (const { track: each, kind } of found) {
    each.name ??= getText(title);
    each.device = getText(creator);
    // A route was planned when the file was created.
    if (kind !== "track" && each.start === null && Number.isFinite(made)) each.start = made;
  }
  return found;
}

/** Reads TCX as written by Garmin and Google Fit. */
export async function readTcx(chunks: AsyncIterable<Uint8Array>): Promise<Found[]> {
  const found: Found[] = [];
  let track = new Track();
  let point: Draft = {};
  let [seconds, calories] = [0, 0];
  await readXml(chunks, {
    open(path, attributes) {
      const name = path.at(-1);
      if (name === "Activity" || name === "Course") {
        track = new Track();
        track.sport = getText(attributes.Sport ?? "");
        [seconds, calories] = [0, 0];
      }
      if (name === "Lap" && attributes.StartTime !== undefined) track.start ??= parseTime(attributes.StartTime) ?? null;
      if (name === "Track") track.pause();
      if (name === "Trackpoint") point = {};
    },
    close(path, text) {
      const [name, above] = [path.at(-1), path.at(-2)];
      if (name === "Trackpoint") track.add(point);
      else if (path.includes("Trackpoint")) {
        if (name === "Time") point.at = parseTime(text);
        else if (name === "LatitudeDegrees") point.lat = parseNumber(text);
        else if (name === "LongitudeDegrees") point.lon = parseNumber(text);
        else if (name === "AltitudeMeters") point.elevation = parseNumber(text);
        else if (name === "DistanceMeters") point.distance = parseNumber(text);
        else if (name === "Value" && above === "HeartRateBpm") point.heartRate = parseNumber(text);
        else if (name === "Watts") point.watts = parseNumber(text);
      } else if (above === "Lap" && name === "TotalTimeSeconds") seconds += toNumber(text) ?? 0;
      else if (above === "Lap" && name === "Calories") calories += toNumber(text) ?? 0;
      else if (name === "Notes" && above === "Activity") track.description = getText(text);
      else if (name === "Name" && above === "Creator") track.device = getText(text);
      else if (name === "Name" && above === "Course") track.name = getText(text);
      else if (name === "Activity" || name === "Course") {
        track.movingSeconds = seconds > 0 ? seconds : null;
        track.calories = calories > 0 ? calories : null;
        found.push({ kind: name === "Course" ? "route" : "track", track });
      }
    },
  });
  return found;
}

const parseTime = (text: string): number | undefined => {
  const plain = text.trim();
  // Times without a zone are UTC in these formats.
  const at = Date.parse(/[Zz]$|[+-]\d\d:?\d\d$/.test(plain) ? plain : `${plain}Z`);
  return Number.isFinite(at) ? at : undefined;
};
