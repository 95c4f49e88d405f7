import { parseInstant } from "@pdpp/contract/instant";

/** Local times, zones and instants. */

export interface LocalTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

const padTwo = (part: number): string => String(part).padStart(2, "0");

/** Formats as `2026-01-31T09:30:00`. */
export const formatLocalTime = ({ year, month, day, hour, minute, second }: LocalTime): string =>
  `${String(year).padStart(4, "0")}-${padTwo(month)}-${padTwo(day)}T${padTwo(hour)}:${padTwo(minute)}:${padTwo(second)}`;

/** Parses what `formatLocalTime` writes; null if invalid. Ignores fractions of a second and offsets. */
export function parseLocalTime(text: string): LocalTime | null {
  const found = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d))?/.exec(text);
  if (found === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found.slice(1).map((n) => Number(n ?? 0));
  const local = { year, month, day, hour, minute, second };
  return isValidTime(local) ? local : null;
}

/** Whether the day and the time of day exist. */
export function isValidTime({ year, month, day, hour, minute, second }: LocalTime): boolean {
  if (year < 1 || year > 9999 || hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59)
    return false;
  const date = new Date(Date.UTC(2000, month - 1, day));
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function getFormat(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
    era: "short",
  });
  formats.set(zone, format);
  return format;
}

const day = 86_400_000;
const quarter = 900_000;
const maxCachedOffsets = 20_000;
const offsets = new Map<string, number>();

/** Minutes ahead of UTC at that instant. */
export function getOffset(instant: number, zone: string): number {
  const start = Math.floor(instant / day) * day;
  const before = getCachedOffset(start, zone);
  if (before === getCachedOffset(start + day, zone)) return before;
  // The offset changes on that day, always on a quarter of an hour.
  return getCachedOffset(Math.floor(instant / quarter) * quarter, zone);
}

/** Intl is slow, and exports ask about the same days over and over. */
function getCachedOffset(instant: number, zone: string): number {
  const key = `${zone} ${instant}`;
  const known = offsets.get(key);
  if (known !== undefined) return known;
  if (offsets.size >= maxCachedOffsets) offsets.clear();
  const found = computeOffset(instant, zone);
  offsets.set(key, found);
  return found;
}

function computeOffset(instant: number, zone: string): number {
  const part: Record<string, string> = {};
  for (const { type, value } of getFormat(zone).formatToParts(instant)) part[type] = value;
  const n = (type: string): number => Number(part[type]);
  const shown = Date.UTC(2000, n("month") - 1, n("day"), n("hour"), n("minute"), n("second"));
  const year = part.era === "BC" ? 1 - n("year") : n("year");
  const date = new Date(shown);
  date.setUTCFullYear(year, n("month") - 1, n("day"));
  return Math.round((date.getTime() - Math.floor(instant / 1000) * 1000) / 60_000);
}

/** The instant of a local time. A skipped time uses the offset before the change; of a repeated time the first is used. */
export function toInstant(local: LocalTime, zone: string): number {
  const naive = Date.parse(`${formatLocalTime(local)}Z`);
  const before = getOffset(naive - 86_400_000, zone);
  const first = naive - before * 60_000;
  if (getOffset(first, zone) === before) return first;
  const second = naive - getOffset(first, zone) * 60_000;
  return getOffset(second, zone) === getOffset(first, zone) ? second : first;
}

/** Formats as `2026-01-31T09:30:00+01:00`. */
export function formatInZone(local: LocalTime, zone: string): string {
  return formatWithOffset(toInstant(local, zone), zone);
}

export function formatWithOffset(instant: number, zone: string): string {
  const minutes = getOffset(instant, zone);
  const shown = new Date(instant + minutes * 60_000).toISOString().replace(/\.000Z$|Z$/, "");
  return minutes === 0 ? `${shown}Z` : `${shown}${formatOffset(minutes)}`;
}

/** Formats minutes ahead of UTC as `+01:00`. */
export function formatOffset(minutes: number): string {
  const size = Math.abs(minutes);
  return `${minutes < 0 ? "-" : "+"}${padTwo(Math.floor(size / 60))}:${padTwo(size % 60)}`;
}

/** Resolves a local time by its offset, or else in a zone, to the fields of a record; null if invalid. */
export function resolveTime(
  found: { readonly local: LocalTime; readonly offset: number | null } | null,
  zone = "UTC",
): { sentAt: string; localTime?: string; zone?: string } | null {
  if (found === null) return null;
  const { local, offset } = found;
  if (offset === null) return { sentAt: formatInZone(local, zone), localTime: formatLocalTime(local), zone };
  const sentAt = formatInstant(Date.parse(`${formatLocalTime(local)}Z`) - offset * 60_000);
  return sentAt === null ? null : { sentAt };
}

/** A written time as an instant in UTC; null if it is missing or invalid. */
export const toInstantText = (value: unknown): string | null =>
  typeof value !== "string" || parseInstant(value) === null ? null : formatInstant(Date.parse(value));

/** Formats an instant for a record; null if it is missing or out of range. */
export function formatInstant(instant: number | null, unitMs = 1): string | null {
  const milliseconds = instant === null ? Number.NaN : instant * unitMs;
  if (!Number.isFinite(milliseconds)) return null;
  const date = new Date(Math.round(milliseconds));
  const year = date.getUTCFullYear();
  return Number.isNaN(year) || year < 1 || year > 9999 ? null : date.toISOString();
}
