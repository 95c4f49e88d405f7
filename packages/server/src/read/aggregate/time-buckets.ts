import { formatInstant, parseInstant } from "@pdpp/contract/instant";
import { Temporal } from "temporal-polyfill";

// Below, "local" is wall-clock time as a number: the milliseconds since the epoch at which UTC shows the same fields.
// A zone is a row of segments of constant offset, and local = instant + offset, with offsets under 24 hours.

export const granularities = ["minute", "hour", "day", "week", "month", "quarter", "year"] as const;

export type Granularity = (typeof granularities)[number];

/** The instants whose local time falls in one calendar bucket; two ranges when clocks go back into it again. */
export interface TimeBucket {
  key: string;
  /** Ascending, apart from each other, each from `from` up to but not including `to`, in milliseconds since the epoch. */
  ranges: { from: number; to: number }[];
}

interface Segment {
  from: number;
  to: number;
  offset: number;
}

const DAY = 86_400_000;
const WEEK = 7 * DAY;
const FIRST_MONDAY = 4 * DAY;

// Keys have four-digit years, so the first and the last bucket take in all instants beyond.
const FIRST_LOCAL = -62_167_219_200_000;
const END_LOCAL = 253_402_300_800_000;
const EARLIEST = -8_640_000_000_000_000;
const LATEST = 8_640_000_000_000_000;

const CHUNK = 365 * DAY;
const CHUNKS_KEPT = 2048;
const chunks = new Map<string, Segment[]>();

/** The one bucket that holds `instant`. */
export function bucketOf(granularity: Granularity, zone: string, instant: number): TimeBucket {
  const at = clampedInstant(instant);
  const segment = segmentsOf(zone, Math.floor(at / CHUNK)).find(({ to }) => at < to)!;
  return bucketAt(granularity, zone, at + segment.offset);
}

/**
 * Up to `count` buckets in ascending key order, without those that never occur: the first is the smallest key that any
 * instant at or after `from` has, or, if that is greater, the next key after `after`. Fewer come only at the end of time.
 *
 * That first bucket is the one that holds `from`, unless clocks are about to go back to before its key.
 *
 * To page, hand over the last key as `after`, and as `from` the earliest instant of interest that is at or after both
 * `instantAfter(...)` of that key and the caller's own lower bound. Then no key comes twice, and every instant of
 * interest comes in exactly one bucket. Instants alone cannot do this: when clocks go back, uncovered ones lie among
 * covered ones.
 */
export function timeBuckets(
  granularity: Granularity,
  zone: string,
  from: number,
  count: number,
  after?: string,
): TimeBucket[] {
  const buckets: TimeBucket[] = [];
  let local = clampedLocal(smallestLocalSince(zone, clampedInstant(from)));
  if (after !== undefined) local = Math.max(local, localAfter(granularity, after));
  while (buckets.length < count && local < END_LOCAL) {
    const bucket = bucketAt(granularity, zone, local);
    if (bucket.ranges.length > 0) buckets.push(bucket);
    local = spanAt(granularity, local).to;
  }
  return buckets;
}

/** The earliest instant whose bucket has a greater key; for the last bucket's key, an instant later than any. */
export function instantAfter(granularity: Granularity, zone: string, key: string): number {
  const local = localAfter(granularity, key);
  if (local >= END_LOCAL) return LATEST;
  const segment = segmentsAmong(zone, local - DAY, local + DAY).find(({ to, offset }) => local - offset < to)!;
  return Math.max(segment.from, local - segment.offset);
}

function bucketAt(granularity: Granularity, zone: string, local: number): TimeBucket {
  const span = spanAt(granularity, clampedLocal(local));
  const ranges = rangesOf(zone, span.from, span.to);
  if (span.from <= FIRST_LOCAL) ranges[0]!.from = EARLIEST;
  if (span.to >= END_LOCAL) ranges.at(-1)!.to = LATEST;
  const toMinutes = granularity === "hour" || granularity === "minute";
  return { key: formatInstant(span.from).slice(0, toMinutes ? 16 : 10), ranges };
}

function rangesOf(zone: string, localFrom: number, localTo: number): TimeBucket["ranges"] {
  const ranges: TimeBucket["ranges"] = [];
  for (const segment of segmentsAmong(zone, localFrom - DAY, localTo + DAY)) {
    const from = Math.max(segment.from, localFrom - segment.offset);
    const to = Math.min(segment.to, localTo - segment.offset);
    if (from >= to) continue;
    const last = ranges.at(-1);
    if (last?.to === from) last.to = to;
    else ranges.push({ from, to });
  }
  return ranges;
}

/** Only an instant within two days can have a smaller local time than an earlier one: offsets are under 24 hours. */
function smallestLocalSince(zone: string, instant: number): number {
  let smallest = Number.POSITIVE_INFINITY;
  for (const { from, to, offset } of segmentsAmong(zone, instant, instant + 2 * DAY)) {
    if (to > instant) smallest = Math.min(smallest, Math.max(from, instant) + offset);
  }
  return smallest;
}

function localAfter(granularity: Granularity, key: string): number {
  const local = parseInstant(key);
  if (local === null) throw new RangeError(`not a bucket key: ${key}`);
  return spanAt(granularity, local).to;
}

function spanAt(granularity: Granularity, local: number): { from: number; to: number } {
  switch (granularity) {
    case "minute":
      return evenSpan(local, 60_000, 0);
    case "hour":
      return evenSpan(local, 3_600_000, 0);
    case "day":
      return evenSpan(local, DAY, 0);
    case "week":
      return evenSpan(local, WEEK, FIRST_MONDAY);
    case "month":
      return monthSpan(local, 1);
    case "quarter":
      return monthSpan(local, 3);
    case "year":
      return monthSpan(local, 12);
  }
}

function evenSpan(local: number, length: number, origin: number): { from: number; to: number } {
  const from = Math.floor((local - origin) / length) * length + origin;
  return { from, to: from + length };
}

function monthSpan(local: number, months: number): { from: number; to: number } {
  const date = new Date(local);
  const year = date.getUTCFullYear();
  const month = Math.floor(date.getUTCMonth() / months) * months;
  return { from: startOfMonth(year, month), to: startOfMonth(year, month + months) };
}

/** Not Date.UTC, which reads the years 0 to 99 as 1900 to 1999. */
function startOfMonth(year: number, month: number): number {
  return new Date(0).setUTCFullYear(year, month, 1);
}

function segmentsAmong(zone: string, from: number, to: number): Segment[] {
  const first = Math.floor(from / CHUNK);
  const last = Math.floor(to / CHUNK);
  const segments = segmentsOf(zone, first);
  if (first === last) return segments;
  const all = [...segments];
  for (let chunk = first + 1; chunk <= last; chunk++) all.push(...segmentsOf(zone, chunk));
  return all;
}

/** The segments of one chunk of time, cut at its ends. Kept, because finding a transition is slow without native Temporal. */
function segmentsOf(zone: string, chunk: number): Segment[] {
  const name = `${chunk} ${zone}`;
  const known = chunks.get(name);
  if (known !== undefined) return known;
  const segments = findSegments(zone, chunk * CHUNK, (chunk + 1) * CHUNK);
  if (chunks.size >= CHUNKS_KEPT) chunks.delete(chunks.keys().next().value!);
  chunks.set(name, segments);
  return segments;
}

function findSegments(zone: string, from: number, to: number): Segment[] {
  const segments: Segment[] = [];
  let at: Temporal.ZonedDateTime | null = new Temporal.ZonedDateTime(BigInt(from) * 1_000_000n, zone);
  while (at !== null && at.epochMilliseconds < to) {
    const next: Temporal.ZonedDateTime | null = at.getTimeZoneTransition("next");
    segments.push({
      from: at.epochMilliseconds,
      to: Math.min(next?.epochMilliseconds ?? to, to),
      offset: at.offsetNanoseconds / 1_000_000,
    });
    at = next;
  }
  return segments;
}

/** Whole milliseconds, no further out than it takes for every zone to be past the last bucket. */
function clampedInstant(instant: number): number {
  return Math.floor(Math.min(Math.max(instant, FIRST_LOCAL - DAY), END_LOCAL + DAY));
}

function clampedLocal(local: number): number {
  return Math.min(Math.max(local, FIRST_LOCAL), END_LOCAL - 1);
}
