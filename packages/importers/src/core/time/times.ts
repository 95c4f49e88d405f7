/** Times as exports write them, and the instant that they mean. */

export interface LocalTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

const padTwo = (n: number): string => String(n).padStart(2, "0");

/** As it is on a clock: `2026-01-31T09:30:00`. */
export const formatLocalTime = ({ year, month, day, hour, minute, second }: LocalTime): string =>
  `${String(year).padStart(4, "0")}-${padTwo(month)}-${padTwo(day)}T${padTwo(hour)}:${padTwo(minute)}:${padTwo(second)}`;

/** What `localText` writes; null where it is none. A fraction of a second and an offset are left out. */
export function parseLocalTime(text: string): LocalTime | null {
  const found = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d))?/.exec(text);
  if (found === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found.slice(1).map((n) => Number(n ?? 0));
  const local = { year, month, day, hour, minute, second };
  return isValidTime(local) ? local : null;
}

/** Whether there is such a day and such a time of day. */
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

/** How far the zone's clocks were ahead of UTC at that instant, in minutes. */
export function getOffset(instant: number, zone: string): number {
  const start = Math.floor(instant / day) * day;
  const before = getCachedOffset(start, zone);
  if (before === getCachedOffset(start + day, zone)) return before;
  // Clocks are moved on that day, at a quarter of an hour.
  return getCachedOffset(Math.floor(instant / quarter) * quarter, zone);
}

/** Asking for a zone's clocks is slow, and exports ask about the same days over and over. */
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

/**
 * The instant at which the zone's clocks showed that. A time that was skipped counts as if the clocks had not been moved yet; of a
 * time that was shown twice the first is meant.
 */
export function toInstant(local: LocalTime, zone: string): number {
  const naive = Date.parse(`${formatLocalTime(local)}Z`);
  const before = getOffset(naive - 86_400_000, zone);
  const first = naive - before * 60_000;
  if (getOffset(first, zone) === before) return first;
  const second = naive - getOffset(first, zone) * 60_000;
  return getOffset(second, zone) === getOffset(first, zone) ? second : first;
}

/** With the offset that the zone had: `2026-01-31T09:30:00+01:00`. */
export function formatInZone(local: LocalTime, zone: string): string {
  return formatWithOffset(toInstant(local, zone), zone);
}

export function formatWithOffset(instant: number, zone: string): string {
  const minutes = getOffset(instant, zone);
  const shown = new Date(instant + minutes * 60_000).toISOString().replace(/\.000Z$|Z$/, "");
  if (minutes === 0) return `${shown}Z`;
  const size = Math.abs(minutes);
  return `${shown}${minutes < 0 ? "-" : "+"}${padTwo(Math.floor(size / 60))}:${padTwo(size % 60)}`;
}

/** A local time whose offset may be known, else read in a zone; null where it is none. As the fields of a record. */
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

/** An instant as it is written in a record; null where it is none that can be written. */
export function formatInstant(milliseconds: number): string | null {
  if (!Number.isFinite(milliseconds)) return null;
  const date = new Date(Math.round(milliseconds));
  const year = date.getUTCFullYear();
  return Number.isNaN(year) || year < 1 || year > 9999 ? null : date.toISOString();
}
