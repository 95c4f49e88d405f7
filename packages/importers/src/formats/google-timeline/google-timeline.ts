import { deriveId, Occurrences } from "../../core/identity.ts";
import type { Importer, Item, RecordItem } from "../../core/importer.ts";
import { createClaim, createRecord, mark, reject } from "../../core/items.ts";
import { walkJson } from "../../core/parsing/json-elements.ts";
import { readFiles, rejectElement } from "../../core/reading.ts";
import { dropNulls, isObject, toList, toNumber, toObject, toObjects, toText } from "../../core/text/clean.ts";
import type { Entry } from "../../tree/tree.ts";
import { timelineManifest } from "./manifest.ts";
import { type PathPoint, type Place, parsePath, parsePlace, parseTime } from "./places.ts";

/** Google Timeline, as exported by phones and formerly by Takeout. */
export const googleTimeline: Importer = {
  key: "google-timeline",
  title: "Google Timeline",
  version: "2",
  testedWith: "files of that shape",
  manifest: timelineManifest,
  mainStream: "points",
  sniff: (path, { text }) =>
    /\.json$/i.test(path) &&
    (/^\s*\{\s*"(semanticSegments|rawSignals|timelineObjects)"\s*:/.test(text) ||
      (/^\s*\{\s*"locations"\s*:\s*\[/.test(text) && /"(latitudeE7|timestampMs)"\s*:/.test(text)) ||
      (/^\s*\[\s*\{/.test(text) && /"startTime"\s*:/.test(text) && /"geo:-?\d/.test(text))),
  async createClaims(found) {
    return [createClaim("google-timeline", "Google Timeline", found)];
  },
  read: (claim, _answers, from) => readFiles(claim, from, readFile),
};

const lists = new Set(["", "semanticSegments", "rawSignals", "locations", "timelineObjects"]);
const isListed = (path: string): boolean => path === "*" || path.endsWith("/*");

async function* readFile(entry: Entry, index: number): AsyncGenerator<Item> {
  const reader = new Reader();
  let read = 0;
  for await (const step of walkJson((at) => entry.bytes(at), { shouldOpen: (path) => lists.has(path) })) {
    if (step.kind !== "value" || !isListed(step.path)) continue;
    const { element } = step;
    const { value, offset, raw } = element;
    if (element.failure !== undefined) yield rejectElement(entry, element);
    else {
      const items = isObject(value) ? reader.read(step.path, value) : null;
      if (items === null) yield reject(entry.path, offset, "no_place", "no place or no time", raw);
      else for (const item of items) yield item;
    }
    read += 1;
    if (read % markInterval === 0) yield mark(index, element.end);
  }
}

/** A mark for each of millions of points would take longer than the points. */
const markInterval = 16;

class Reader {
  readonly #occurrences = new Occurrences();

  /** Null if a place or time is missing. Entries that are not places (network scans) yield nothing. */
  read(path: string, value: Record<string, unknown>): RecordItem[] | null {
    if (path === "locations/*") return this.#readRecord(value);
    if (path === "timelineObjects/*") return this.#readLegacy(value);
    if (path === "rawSignals/*") return isObject(value.position) ? this.#readSignal(value.position) : [];
    return this.#readSegment(value);
  }

  #createId(kind: string, ...fields: (string | number | null)[]): string {
    return this.#occurrences.number(deriveId("timeline", kind, ...fields));
  }

  #readSegment(value: Record<string, unknown>): RecordItem[] | null {
    const [start, end] = [parseTime(value.startTime), parseTime(value.endTime)];
    if (start === null) return null;
    if (isObject(value.visit)) {
      const top = toObject(value.visit.topCandidate);
      const place = parsePlace(top.placeLocation);
      if (place === null) return null;
      return [
        this.#createVisit(place, start, end, {
          kind: toText(top.semanticType),
          placeId: toText(top.placeId) ?? toText(top.placeID),
          extra: { probability: toNumber(top.probability), hierarchy_level: value.visit.hierarchyLevel },
        }),
      ];
    }
    if (isObject(value.activity)) {
      const top = toObject(value.activity.topCandidate);
      const [from, to] = [parsePlace(value.activity.start), parsePlace(value.activity.end)];
      return [
        this.#createTrip(from, to, start, end, {
          mode: toText(top.type),
          distance: toNumber(value.activity.distanceMeters),
          extra: { probability: toNumber(top.probability) },
        }),
      ];
    }
    return parsePath(value.timelinePath, start).map((point) => this.#createPoint(point, "path", {}));
  }

  #readLegacy(value: Record<string, unknown>): RecordItem[] | null {
    const visit = isObject(value.placeVisit) ? value.placeVisit : null;
    const segment = isObject(value.activitySegment) ? value.activitySegment : null;
    const part = visit ?? segment;
    if (part === null) return [];
    const duration = toObject(part.duration);
    const start = parseTime(duration.startTimestamp, duration.startTimestampMs);
    const end = parseTime(duration.endTimestamp, duration.endTimestampMs);
    if (start === null) return null;
    if (segment !== null) {
      const path = isObject(segment.simplifiedRawPath) ? segment.simplifiedRawPath.points : [];
      const points = toList(path).flatMap((each) => parsePath([each], start));
      return [
        this.#createTrip(parsePlace(segment.startLocation), parsePlace(segment.endLocation), start, end, {
          mode: toText(segment.activityType),
          distance: toNumber(segment.distance) ?? toNumber(segment.distanceMeters),
          extra: {},
        }),
        ...points.map((point) => this.#createPoint(point, "path", {})),
      ];
    }
    const location = toObject(part.location);
    const place = parsePlace(location) ?? parsePlace({ latE7: part.centerLatE7, lngE7: part.centerLngE7 });
    if (place === null) return null;
    // Visits are nested one level at most, such as a shop in a station.
    const within = toObjects(part.childVisits).flatMap(
      (each) => this.#readLegacy({ placeVisit: { ...each, childVisits: [] } }) ?? [],
    );
    return [
      this.#createVisit(place, start, end, {
        name: toText(location.name),
        address: toText(location.address),
        kind: toText(location.semanticType),
        placeId: toText(location.placeId),
        extra: {},
      }),
      ...within,
    ];
  }

  #readRecord(value: Record<string, unknown>): RecordItem[] | null {
    const place = parsePlace(value);
    const at = parseTime(value.timestamp, value.timestampMs);
    if (place === null || at === null) return null;
    const [first] = toObjects(value.activity);
    const [likely] = toObjects(first?.activity);
    return [
      this.#createPoint({ ...place, at }, "record", {
        accuracy: toNumber(value.accuracy),
        altitude: toNumber(value.altitude),
        activity: toText(likely?.type),
        device: String(value.deviceTag ?? ""),
      }),
    ];
  }

  #readSignal(value: Record<string, unknown>): RecordItem[] | null {
    const place = parsePlace(value);
    const at = parseTime(value.timestamp);
    if (place === null || at === null) return null;
    const [accuracy, altitude] = [toNumber(value.accuracyMeters), toNumber(value.altitudeMeters)];
    return [this.#createPoint({ ...place, at }, "signal", { accuracy, altitude })];
  }

  #createVisit(
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
    return createRecord("visits", {
      id: this.#createId("visit", start, place.latitude, place.longitude),
      place: about.name ?? about.address ?? (isKnownKind(about.kind) ? about.kind : formatPlace(place)),
      kind: about.kind,
      started_at: start,
      ended_at: end,
      ...place,
      address: about.address ?? null,
      place_id: about.placeId,
      extra: dropNulls({ ...about.extra }),
    });
  }

  #createTrip(
    from: Place | null,
    to: Place | null,
    start: string,
    end: string | null,
    about: { mode: string | null; distance: number | null; extra: object },
  ): RecordItem {
    return createRecord("trips", {
      id: this.#createId("trip", start, from?.latitude ?? null, from?.longitude ?? null),
      mode: about.mode,
      started_at: start,
      ended_at: end,
      start_latitude: from?.latitude ?? null,
      start_longitude: from?.longitude ?? null,
      end_latitude: to?.latitude ?? null,
      end_longitude: to?.longitude ?? null,
      distance_m: about.distance,
      extra: dropNulls({ ...about.extra }),
    });
  }

  #createPoint(
    { at, latitude, longitude }: PathPoint,
    source: string,
    about: { accuracy?: number | null; altitude?: number | null; activity?: string | null; device?: string },
  ): RecordItem {
    return createRecord("points", {
      id: this.#createId(source, about.device ?? "", at, latitude, longitude),
      at,
      latitude,
      longitude,
      accuracy_m: about.accuracy ?? null,
      altitude_m: about.altitude ?? null,
      source,
      activity: about.activity ?? null,
    });
  }
}

const formatPlace = ({ latitude, longitude }: Place): string => `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`;
const isKnownKind = (kind: string | null): kind is string => kind !== null && !/^(UNKNOWN|TYPE_UNKNOWN)$/i.test(kind);
