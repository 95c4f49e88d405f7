import { describeError } from "../../core/text/describe-error.ts";
import type { Found } from "./gpx.ts";
import { Track } from "./track.ts";

/**
 * FIT files from watches and bike computers. The file describes its own messages; only those of activities are read.
 */

interface Field {
  readonly number: number;
  readonly size: number;
  readonly type: number;
}

interface Definition {
  readonly message: number;
  readonly isBig: boolean;
  readonly fields: readonly Field[];
  /** Bytes of developer fields. */
  readonly more: number;
}

type Values = ReadonlyMap<number, number | string>;

/** Seconds from 1970 to the FIT epoch, 31 December 1989. */
const fitEpochSeconds = 631_065_600;
const [FILE, SESSION, RECORD] = [0, 18, 20];
const [TIME, SEMICIRCLES] = [253, 180 / 2 ** 31];

/** If the file is truncated or damaged, everything before that point counts. */
export interface FitFile {
  readonly found: readonly Found[];
  /** The declared file type. */
  readonly type: number | null;
  readonly failure: string | null;
}

export function readFit(bytes: Buffer): FitFile {
  const fit = new Fit();
  let failure: string | null = null;
  let at = 0;
  let parts = 0;
  while (at + 12 <= bytes.length && bytes.toString("latin1", at + 8, at + 12) === ".FIT") {
    const header = bytes[at] ?? 0;
    const size = bytes.readUInt32LE(at + 4);
    const start = at + header;
    // A file that was not closed has size 0 in its header.
    const end = size === 0 ? bytes.length - 2 : Math.min(start + size, bytes.length);
    if (start + size > bytes.length) failure = "the file ends in the middle of it";
    try {
      fit.readMessages(bytes.subarray(start, end));
    } catch (error) {
      failure = error instanceof RangeError ? "a message in it is longer than the file" : describeError(error);
    }
    parts += 1;
    // Files can be concatenated; each ends with a two-byte checksum.
    at = end + 2;
    if (parts > 1000) break;
  }
  return { found: fit.buildTracks(), type: fit.type, failure };
}

class Fit {
  type: number | null = null;
  readonly #definitions = new Map<number, Definition>();
  readonly #sessions: Values[] = [];
  #track = new Track();
  #device: string | null = null;
  #clock = 0;
  /** Accumulated distance from the packed speed and distance field. */
  #wheel: { last: number; sum: number } | null = null;

  readMessages(bytes: Buffer): void {
    this.#definitions.clear();
    for (let at = 0; at < bytes.length; ) {
      const header = bytes[at] ?? 0;
      at += 1;
      if ((header & 0xc0) === 0x40) at = this.#readDefinition(bytes, at, header);
      else {
        const isShort = (header & 0x80) !== 0;
        const kind = isShort ? (header >> 5) & 3 : header & 15;
        const definition = this.#definitions.get(kind);
        if (definition === undefined) throw new Error("a message in it is not described");
        const { values, end } = readValues(bytes, at, definition);
        at = end;
        if (isShort) {
          const offset = header & 31;
          this.#clock += (offset - (this.#clock & 31)) & 31;
          this.#readMessage(definition.message, new Map([...values, [TIME, this.#clock]]));
        } else this.#readMessage(definition.message, values);
      }
    }
  }

  #readDefinition(bytes: Buffer, from: number, header: number): number {
    const isBig = bytes[from + 1] === 1;
    const message = isBig ? bytes.readUInt16BE(from + 2) : bytes.readUInt16LE(from + 2);
    const count = bytes[from + 4] ?? 0;
    const fields: Field[] = [];
    let at = from + 5;
    for (let n = 0; n < count; n += 1, at += 3)
      fields.push({ number: bytes[at] ?? 0, size: bytes[at + 1] ?? 0, type: bytes[at + 2] ?? 0 });
    let more = 0;
    if ((header & 0x20) !== 0) {
      const own = bytes[at] ?? 0;
      at += 1;
      for (let n = 0; n < own; n += 1, at += 3) more += bytes[at + 1] ?? 0;
    }
    if (at > bytes.length) throw new Error("the file ends in the middle of it");
    this.#definitions.set(header & 15, { message, isBig, fields, more });
    return at;
  }

  #readMessage(message: number, values: Values): void {
    const time = toNumber(values, TIME);
    if (time !== undefined) this.#clock = time;
    if (message === FILE) {
      this.type ??= toNumber(values, 0) ?? null;
      const product = values.get(8);
      const maker = makers[toNumber(values, 1) ?? -1] ?? null;
      this.#device ??= typeof product === "string" && product !== "" ? product : maker;
    } else if (message === SESSION) this.#sessions.push(values);
    else if (message === RECORD) this.#readRecord(values);
  }

  #readRecord(values: Values): void {
    const readScaled = (number: number, scale: number, offset = 0): number | undefined => {
      const value = toNumber(values, number);
      return value === undefined ? undefined : value / scale - offset;
    };
    const [lat, lon, time] = [toNumber(values, 0), toNumber(values, 1), toNumber(values, TIME)];
    this.#track.add({
      lat: lat === undefined ? undefined : lat * SEMICIRCLES,
      lon: lon === undefined ? undefined : lon * SEMICIRCLES,
      at: time === undefined || time < 0x10000000 ? undefined : (time + fitEpochSeconds) * 1000,
      elevation: readScaled(78, 5, 500) ?? readScaled(2, 5, 500),
      heartRate: toNumber(values, 3),
      watts: toNumber(values, 7),
      distance: readScaled(5, 100) ?? this.#unwrapDistance(toNumber(values, 8)),
    });
  }

  /** A 12-bit counter that wraps around. */
  #unwrapDistance(packed: number | undefined): number | undefined {
    if (packed === undefined) return undefined;
    const now = packed >> 12;
    const wheel = this.#wheel ?? { last: now, sum: 0 };
    wheel.sum += (now - wheel.last) & 0xfff;
    wheel.last = now;
    this.#wheel = wheel;
    return wheel.sum / 16;
  }

  buildTracks(): Found[] {
    const track = this.#track;
    if (track.points === 0 && this.#sessions.length === 0) return [];
    track.device = this.#device;
    const sum = (number: number, scale: number): number | null => {
      const all = this.#sessions.flatMap((session) => toNumber(session, number) ?? []);
      return all.length === 0 ? null : all.reduce((a, b) => a + b, 0) / scale;
    };
    const named = this.#sessions
      .map((session) => sports[toNumber(session, 5) ?? -1])
      .filter((name) => name !== undefined);
    track.sport = named.length === 0 ? null : [...new Set(named)].join(", ");
    track.movingSeconds = sum(8, 1000);
    track.calories = sum(11, 1);
    for (const session of this.#sessions) {
      const [start, end, distance] = [toNumber(session, 2), toNumber(session, TIME), toNumber(session, 9)];
      for (const time of [start, end])
        if (time !== undefined && time > 0x10000000) track.addTime((time + fitEpochSeconds) * 1000);
      if (track.points === 0 && distance !== undefined) {
        track.add({ distance: distance / 100 });
        track.points = 0;
      }
    }
    return [{ kind: "track", track }];
  }
}

const toNumber = (values: Values, number: number): number | undefined => {
  const value = values.get(number);
  return typeof value === "number" ? value : undefined;
};

/** The values of a message, without those marked as invalid. */
function readValues(bytes: Buffer, from: number, { fields, more, isBig }: Definition): { values: Values; end: number } {
  const values = new Map<number, number | string>();
  let at = from;
  for (const { number, size, type } of fields) {
    if (at + size > bytes.length) throw new Error("the file ends in the middle of it");
    const value = readValue(bytes.subarray(at, at + size), type & 31, isBig, number);
    if (value !== undefined) values.set(number, value);
    at += size;
  }
  at += more;
  if (at > bytes.length) throw new Error("the file ends in the middle of it");
  return { values, end: at };
}

function readValue(bytes: Buffer, type: number, isBig: boolean, number: number): number | string | undefined {
  if (type === 7) return bytes.toString("utf8").replace(/\0[\s\S]*$/, "");
  // Speed and distance, packed into three bytes.
  if (type === 13 && bytes.length === 3 && number === 8) {
    const packed = bytes.readUIntLE(0, 3);
    return packed === 0xffffff ? undefined : packed;
  }
  const size = widths[type];
  if (size === undefined || bytes.length < size) return undefined;
  if (type === 8 || size > 4) return undefined;
  const isSigned = type === 1 || type === 3 || type === 5;
  const read = isSigned ? (isBig ? "readIntBE" : "readIntLE") : isBig ? "readUIntBE" : "readUIntLE";
  const value = bytes[read](0, size);
  const isZeroInvalid = type >= 10 && type <= 12;
  const invalid = isZeroInvalid ? 0 : isSigned ? 2 ** (size * 8 - 1) - 1 : 2 ** (size * 8) - 1;
  return value === invalid ? undefined : value;
}

/** Sizes in bytes of the base types from 0 on. */
const widths = [1, 1, 1, 2, 2, 4, 4, 0, 4, 8, 1, 2, 4, 1, 8, 8, 8];

// biome-ignore format: a compact table
const sports: Readonly<Record<number, string>> = {
  ...[
    "generic", "running", "cycling", "transition", "fitness_equipment", "swimming", "basketball", "soccer", "tennis",
    "american_football", "training", "walking", "cross_country_skiing", "alpine_skiing", "snowboarding", "rowing",
    "mountaineering", "hiking", "multisport", "paddling", "flying", "e_biking", "motorcycling", "boating", "driving",
    "golf", "hang_gliding", "horseback_riding", "hunting", "fishing", "inline_skating", "rock_climbing", "sailing",
    "ice_skating", "sky_diving", "snowshoeing", "snowmobiling", "stand_up_paddleboarding", "surfing", "wakeboarding",
    "water_skiing", "kayaking", "rafting", "windsurfing", "kitesurfing", "tactical", "jumpmaster", "boxing",
    "floor_climbing",
  ],
  53: "diving", 62: "hiit", 64: "racket",
};

// biome-ignore format: a compact table
const makers: Readonly<Record<number, string>> = {
  1: "Garmin", 23: "Suunto", 32: "Wahoo Fitness", 38: "o-synce", 41: "Polar", 70: "Sigma Sport", 260: "Zwift",
  265: "Strava", 267: "Bryton", 294: "Coros",
};
