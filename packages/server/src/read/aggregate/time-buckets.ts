import { formatInstant, parseInstant } from "@pdpp/contract/instant";
import { Temporal } from "temporal-polyfill";

// "Local" means wall-clock time as a number: the epoch milliseconds at which UTC shows the same fields. A zone is a
// sequence of segments of constant offset; local = instant + offset, with offsets under 24 hours.

export const granularities = ["minute", "hour", "day", "week", "month", "quarter", "year"] as const;

export type Granularity = (typeof granularities)[number];

/** The instants whose local time is in one calendar bucket: two ranges if clocks are set back into it. */
export interface TimeBucket {
  key: string;
  /** Ascending and disjoint; `to` is exclusive. Epoch milliseconds. */
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

// Keys have four-digit years; the first and last bucket include everything beyond.
const FIRST_LOCAL = -62_167_219_200_000;
const END_LOCAL = 253_402_300_800_000;
const EARLIEST = -8_640_000_000_000_000;
const LATEST = 8_640_000_000_000_000;

const CHUNK = 365 * DAY;
const CHUNKS_KEPT = 2048;
const chunks = new Map<string, Segment[]>();

export function findBucket(granularity: Granularity, zone: string, instant: number): TimeBucket {
  const at = clampInstant(instant);
  const segment = getChunkSegments(zone, Math.floor(at / CHUNK)).find(({ to }) => at < to)!;
  return buildBucket(granularity, zone, at + segment.offset);
}

/**
 * Lists up to `count` buckets that occur, by ascending key. The first has the smallest key of any instant at or after
 * `from`, or the next key after `after` if that is greater. It is the bucket of `from`, unless clocks are about to be
 * set back to before its key. To page, pass the last key as `after`, and as `from` the earliest relevant instant that
 * is not before `findInstantAfter(...)` of that key. Then every instant is in exactly one bucket. Instants alone would
 * not do: when clocks are set back, instants of later pages lie between those of earlier ones.
 */
export function listBuckets(
  granularity: Granularity,
  zone: string,
  from: number,
  count: number,
  after?: string,
): TimeBucket[] {
  const buckets: TimeBucket[] = [];
  let local = clampLocal(findSmallestLocal(zone, clampInstant(from)));
  if (after !== undefined) local = Math.max(local, getLocalAfter(granularity, after));
  while (buckets.length < count && local < END_LOCAL) {
    const bucket = buildBucket(granularity, zone, local);
    if (bucket.ranges.length > 0) buckets.push(bucket);
    local = getSpan(granularity, local).to;
  }
  return buckets;
}

/** The earliest instant whose bucket has a greater key; for the last key, an instant later than any. */
export function findInstantAfter(granularity: Granularity, zone: string, key: string): number {
  const local = getLocalAfter(granularity, key);
  if (local >= END_LOCAL) return LATEST;
  const segment = listSegments(zone, local - DAY, local + DAY).find(({ to, offset }) => local - offset < to)!;
  return Math.max(segment.from, local - segment.offset);
}

function buildBucket(granularity: Granularity, zone: string, local: number): TimeBucket {
  const span = getSpan(granularity, clampLocal(local));
  const ranges = findRanges(zone, span.from, span.to);
  if (span.from <= FIRST_LOCAL) ranges[0]!.from = EARLIEST;
  if (span.to >= END_LOCAL) ranges.at(-1)!.to = LATEST;
  const toMinutes = granularity === "hour" || granularity === "minute";
  return { key: formatInstant(span.from).slice(0, toMinutes ? 16 : 10), ranges };
}

function findRanges(zone: string, localFrom: number, localTo: number): TimeBucket["ranges"] {
  const ranges: TimeBucket["ranges"] = [];
  for (const segment of listSegments(zone, localFrom - DAY, localTo + DAY)) {
    const from = Math.max(segment.from, localFrom - segment.offset);
    const to = Math.min(segment.to, localTo - segment.offset);
    if (from >= to) continue;
    const last = ranges.at(-1);
    if (last?.to === from) last.to = to;
    else ranges.push({ from, to });
  }
  return ranges;
}

/** Offsets are under 24 hours, so only instants within two days can have a smaller local time. */
function findSmallestLocal(zone: string, instant: number): number {
  let smallest = Number.POSITIVE_INFINITY;
  for (const { from, to, offset } of listSegments(zone, instant, instant + 2 * DAY)) {
    if (to > instant) smallest = Math.min(smallest, Math.max(from, instant) + offset);
  }
  return smallest;
}

function getLocalAfter(granularity: Granularity, key: string): number {
  const local = parseInstant(key);
  if (local === null) throw new RangeError(`not a bucket key: ${key}`);
  return getSpan(granularity, local).to;
}

function getSpan(granularity: Granularity, local: number): { from: number; to: number } {
  switch (granularity) {
    case "minute":
      return getEvenSpan(local, 60_000, 0);
    case "hour":
      return getEvenSpan(local, 3_600_000, 0);
    case "day":
      return getEvenSpan(local, DAY, 0);
    case "week":
      return getEvenSpan(local, WEEK, FIRST_MONDAY);
    case "month":
      return getMonthSpan(local, 1);
    case "quarter":
      return getMonthSpan(local, 3);
    case "year":
      return getMonthSpan(local, 12);
  }
}

function getEvenSpan(local: number, length: number, origin: number): { from: number; to: number } {
  const from = Math.floor((local - origin) / length) * length + origin;
  return { from, to: from + length };
}

function getMonthSpan(local: number, months: number): { from: number; to: number } {
  const date = new Date(local);
  const year = date.getUTCFullYear();
  const month = Math.floor(date.getUTCMonth() / months) * months;
  return { from: getStartOfMonth(year, month), to: getStartOfMonth(year, month + months) };
}

/** Date.UTC would read the years 0 to 99 as 1900 to 1999. */
function getStartOfMonth(year: number, month: number): number {
  return new Date(0).setUTCFullYear(year, month, 1);
}

function listSegments(zone: string, from: number, to: number): Segment[] {
  const first = Math.floor(from / CHUNK);
  const last = Math.floor(to / CHUNK);
  const segments = getChunkSegments(zone, first);
  if (first === last) return segments;
  const all = [...segments];
  for (let chunk = first + 1; chunk <= last; chunk++) all.push(...getChunkSegments(zone, chunk));
  return all;
}

/** Cached, because finding a transition is slow without native Temporal. */
function getChunkSegments(zone: string, chunk: number): Segment[] {
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

/** Clamps to whole milliseconds, just far enough that every zone is past the last bucket. */
function clampInstant(instant: number): number {
  return Math.floor(Math.min(Math.max(instant, FIRST_LOCAL - DAY), END_LOCAL + DAY));
}

function clampLocal(local: number): number {
  return Math.min(Math.max(local, FIRST_LOCAL), END_LOCAL - 1);
}
