import { h1, Occurrences } from "../../core/identity.ts";
import { aside, type Importer, type Item, mark, newestOf, type RecordItem } from "../../core/importer.ts";
import { walk } from "../../core/parsing/json-elements.ts";
import { eachFile, faulty } from "../../core/reading.ts";
import { isObject, listIn, numberIn, textIn, withoutNulls } from "../../core/text/clean.ts";
import type { Entry } from "../../tree/tree.ts";
import { timelineManifest } from "./manifest.ts";
import { type PathPoint, type Place, pathOf, placeOf, timeOf } from "./places.ts";

/** Google's timeline: as phones export it, and as Takeout had it before. */
export const googleTimeline: Importer = {
  key: "google-timeline",
  title: "Google Timeline",
  version: "2",
  proof: "files of that shape",
  manifest: timelineManifest,
  about: "points",
  sniff: (path, { text }) =>
    /\.json$/i.test(path) &&
    (/^\s*\{\s*"(semanticSegments|rawSignals|timelineObjects)"\s*:/.test(text) ||
      (/^\s*\{\s*"locations"\s*:\s*\[/.test(text) && /"(latitudeE7|timestampMs)"\s*:/.test(text)) ||
      (/^\s*\[\s*\{/.test(text) && /"startTime"\s*:/.test(text) && /"geo:-?\d/.test(text))),
  async claims(found) {
    return [
      {
        format: "google-timeline",
        label: "Google Timeline",
        entries: found,
        beside: [],
        exportedAt: newestOf(found),
        questions: [],
      },
    ];
  },
  read: (claim, _answers, from) => eachFile(claim, from, readFile),
};

const lists = new Set(["", "semanticSegments", "rawSignals", "locations", "timelineObjects"]);
const isListed = (path: string): boolean => path === "*" || path.endsWith("/*");

async function* readFile(entry: Entry, index: number): AsyncGenerator<Item> {
  const reader = new Reader();
  let read = 0;
  for await (const step of walk((at) => entry.bytes(at), { opens: (path) => lists.has(path) })) {
    if (step.kind !== "value" || !isListed(step.path)) continue;
    const { element } = step;
    const { value, offset, raw } = element;
    if (element.fault !== undefined) yield faulty(entry, element);
    else {
      const items = isObject(value) ? reader.read(step.path, value) : null;
      if (items === null) yield aside(entry.path, offset, "no_place", "it has no place or no time", raw);
      else for (const item of items) yield item;
    }
    read += 1;
    if (read % between === 0) yield mark(index, element.end);
  }
}

/** There are millions of points: a mark for each would take longer than the points do. */
const between = 16;

class Reader {
  readonly #occurrences = new Occurrences();

  /** Null where it should have had a place and a time. What is no place at all (a scan for networks) gives nothing. */
  read(path: string, value: Record<string, unknown>): RecordItem[] | null {
    if (path === "locations/*") return this.#record(value);
    if (path === "timelineObjects/*") return this.#older(value);
    if (path === "rawSignals/*") return isObject(value.position) ? this.#signal(value.position) : [];
    return this.#segment(value);
  }

  #id(kind: string, ...fields: (string | number | null)[]): string {
    return this.#occurrences.of(h1("timeline", kind, ...fields));
  }

  #segment(value: Record<string, unknown>): RecordItem[] | null {
    const [start, end] = [timeOf(value.startTime), timeOf(value.endTime)];
    if (start === null) return null;
    if (isObject(value.visit)) {
      const top = isObject(value.visit.topCandidate) ? value.visit.topCandidate : {};
      const place = placeOf(top.placeLocation);
      if (place === null) return null;
      return [
        this.#visit(place, start, end, {
          kind: textIn(top.semanticType),
          placeId: textIn(top.placeId) ?? textIn(top.placeID),
          extra: { probability: numberIn(top.probability), hierarchy_level: value.visit.hierarchyLevel },
        }),
      ];
    }
    if (isObject(value.activity)) {
      const top = isObject(value.activity.topCandidate) ? value.activity.topCandidate : {};
      const [from, to] = [placeOf(value.activity.start), placeOf(value.activity.end)];
      return [
        this.#trip(from, to, start, end, {
          mode: textIn(top.type),
          distance: numberIn(value.activity.distanceMeters),
          extra: { probability: numberIn(top.probability) },
        }),
      ];
    }
    return pathOf(value.timelinePath, start).map((point) => this.#point(point, "path", {}));
  }

  #older(value: Record<string, unknown>): RecordItem[] | null {
    const visit = isObject(value.placeVisit) ? value.placeVisit : null;
    const segment = isObject(value.activitySegment) ? value.activitySegment : null;
    const part = visit ?? segment;
    if (part === null) return [];
    const duration = isObject(part.duration) ? part.duration : {};
    const start = timeOf(duration.startTimestamp, duration.startTimestampMs);
    const end = timeOf(duration.endTimestamp, duration.endTimestampMs);
    if (start === null) return null;
    if (segment !== null) {
      const path = isObject(segment.simplifiedRawPath) ? segment.simplifiedRawPath.points : [];
      const points = listIn(path).flatMap((each) => pathOf([each], start));
      return [
        this.#trip(placeOf(segment.startLocation), placeOf(segment.endLocation), start, end, {
          mode: textIn(segment.activityType),
          distance: numberIn(segment.distance) ?? numberIn(segment.distanceMeters),
          extra: {},
        }),
        ...points.map((point) => this.#point(point, "path", {})),
      ];
    }
    const location = isObject(part.location) ? part.location : {};
    const place = placeOf(location) ?? placeOf({ latE7: part.centerLatE7, lngE7: part.centerLngE7 });
    if (place === null) return null;
    // A shop in a station is a visit within a visit; there are no more levels.
    const within = listIn(part.childVisits)
      .filter(isObject)
      .flatMap((each) => this.#older({ placeVisit: { ...each, childVisits: [] } }) ?? []);
    return [
      this.#visit(place, start, end, {
        name: textIn(location.name),
        address: textIn(location.address),
        kind: textIn(location.semanticType),
        placeId: textIn(location.placeId),
        extra: {},
      }),
      ...within,
    ];
  }

  #record(value: Record<string, unknown>): RecordItem[] | null {
    const place = placeOf(value);
    const at = timeOf(value.timestamp, value.timestampMs);
    if (place === null || at === null) return null;
    const [first] = listIn(value.activity).filter(isObject);
    const [likely] = listIn(first?.activity).filter(isObject);
    return [
      this.#point({ ...place, at }, "record", {
        accuracy: numberIn(value.accuracy),
        altitude: numberIn(value.altitude),
        activity: textIn(likely?.type),
        device: String(value.deviceTag ?? ""),
      }),
    ];
  }

  #signal(value: Record<string, unknown>): RecordItem[] | null {
    const place = placeOf(value);
    const at = timeOf(value.timestamp);
    if (place === null || at === null) return null;
    const [accuracy, altitude] = [numberIn(value.accuracyMeters), numberIn(value.altitudeMeters)];
    return [this.#point({ ...place, at }, "signal", { accuracy, altitude })];
  }

  #visit(
    place: Place,
    start: string,
    end: string | null,
    about: {
      name?: string | null;
      address?: string | null;
      kind: string | null;
      placeId: string | null;
      extra: object;
    },
  ): RecordItem {
    return {
      kind: "record",
      stream: "visits",
      data: {
        id: this.#id("visit", start, place.latitude, place.longitude),
        place: about.name ?? about.address ?? (isTold(about.kind) ? about.kind : shownPlace(place)),
        kind: about.kind,
        started_at: start,
        ended_at: end,
        ...place,
        address: about.address ?? null,
        place_id: about.placeId,
        extra: withoutNulls({ ...about.extra }),
      },
    };
  }

  #trip(
    from: Place | null,
    to: Place | null,
    start: string,
    end: string | null,
    about: { mode: string | null; distance: number | null; extra: object },
  ): RecordItem {
    return {
      kind: "record",
      stream: "trips",
      data: {
        id: this.#id("trip", start, from?.latitude ?? null, from?.longitude ?? null),
        mode: about.mode,
        started_at: start,
        ended_at: end,
        start_latitude: from?.latitude ?? null,
        start_longitude: from?.longitude ?? null,
        end_latitude: to?.latitude ?? null,
        end_longitude: to?.longitude ?? null,
        distance_m: about.distance,
        extra: withoutNulls({ ...about.extra }),
      },
    };
  }

  #point(
    { at, latitude, longitude }: PathPoint,
    source: string,
    about: { accuracy?: number | null; altitude?: number | null; activity?: string | null; device?: string },
  ): RecordItem {
    return {
      kind: "record",
      stream: "points",
      data: {
        id: this.#id(source, about.device ?? "", at, latitude, longitude),
        at,
        latitude,
        longitude,
        accuracy_m: about.accuracy ?? null,
        altitude_m: about.altitude ?? null,
        source,
        activity: about.activity ?? null,
      },
    };
  }
}

const shownPlace = ({ latitude, longitude }: Place): string => `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`;
const isTold = (kind: string | null): kind is string => kind !== null && !/^(UNKNOWN|TYPE_UNKNOWN)$/i.test(kind);
