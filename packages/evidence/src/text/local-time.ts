import { parseInstant } from "@pdpp/contract/instant";
import { Temporal } from "temporal-polyfill";

/** Times with the UTC offset of the place they belong to. */

const minute = 60_000;
/** The range of four-digit years. */
const [firstMoment, lastMoment] = [-62_167_219_200_000, 253_402_300_799_999];

/** Whether the text is a time zone: an IANA name in any case, or an offset such as `+02:00`. */
export function isZone(zone: string): boolean {
  if (zone.length > 64 || !/^(?:[A-Za-z]|[+-]\d\d)/.test(zone)) return false;
  try {
    new Temporal.ZonedDateTime(0n, zone);
    return true;
  } catch {
    return false;
  }
}

/** Whether the text is an IANA name rather than an offset. */
export const isTimeZone = (zone: string): boolean => /^[A-Za-z]/.test(zone) && isZone(zone);

/** How far the zone is ahead of UTC at an instant, in milliseconds. Rounded to minutes, because RFC 3339 has no finer offsets. */
export function getZoneOffset(zone: string, instant: number): number {
  if (zone === "UTC") return 0;
  const { offsetNanoseconds } = new Temporal.ZonedDateTime(BigInt(Math.floor(instant)) * 1_000_000n, zone);
  return Math.round(offsetNanoseconds / 1_000_000 / minute) * minute;
}

const day = /^\d{4}-\d\d-\d\d$/;
const ownOffset = /[+-]\d\d(?::?\d\d)?$/;

const isDay = (written: string): boolean => day.test(written);

/**
 * Formats a time as RFC 3339 with an offset, to the second. A time with an offset keeps it; a time in UTC gets the offset of the
 * zone. Undefined for dates, which have no zone, and for times in UTC without a known zone.
 */
export function toLocalTime(written: string | number, zone: string | undefined): string | undefined {
  if (typeof written !== "string" || isDay(written)) return undefined;
  const instant = parseInstant(written);
  if (instant === null) return undefined;
  const own = parseOffset(written);
  if (own === 0 && zone === undefined) return undefined;
  const offset = own === 0 ? getZoneOffset(zone!, instant) : own;
  const local = Math.floor(instant + offset);
  if (local < firstMoment || local > lastMoment) return undefined;
  return `${new Date(local).toISOString().slice(0, 19)}${formatOffset(offset)}`;
}

/** Zero for UTC, even if written as `+00:00`, as many programs do. */
function parseOffset(written: string): number {
  const [offset] = ownOffset.exec(written.slice(16)) ?? [];
  if (offset === undefined) return 0;
  const size = (Number(offset.slice(1, 3)) * 60 + Number(offset.slice(3).replace(":", "") || 0)) * minute;
  return offset.startsWith("-") ? -size : size;
}

function formatOffset(offset: number): string {
  const minutes = Math.abs(offset) / minute;
  const two = (number: number): string => String(Math.floor(number)).padStart(2, "0");
  return `${offset < 0 ? "-" : "+"}${two(minutes / 60)}:${two(minutes % 60)}`;
}

/** For people: `2026-10-28 08:50 +01:00`, or `2026-10-28 07:50 UTC`. */
const formatClock = (local: string): string =>
  `${local.slice(0, 10)} ${local.slice(11, 16)} ${local.slice(19).replace("+00:00", "UTC")}`;

interface Timed {
  readonly event_time?: string | number | undefined;
  readonly local_time?: string | undefined;
}

/** When a record happened, the same on every surface: a date, or a time with its offset. Undefined if it is neither. */
export function formatEventTime({ event_time: written, local_time: local }: Timed): string | undefined {
  const said = local ?? written;
  if (typeof said !== "string" || isDay(said)) return typeof said === "string" ? said : undefined;
  const time = toLocalTime(said, "UTC");
  return time === undefined ? undefined : formatClock(time);
}

/** Parses a caller's time: a date is the start of that day in the zone, and a time without an offset is local to the zone. */
export function parseLocalInstant(text: string, zone: string): number | null {
  const instant = parseInstant(text);
  if (instant === null || hasOffset(text)) return instant;
  const whole = Math.floor(instant);
  const clock = Temporal.Instant.fromEpochMilliseconds(whole).toZonedDateTimeISO("UTC").toPlainDateTime();
  return clock.toZonedDateTime(zone).epochMilliseconds + (instant - whole);
}

const hasOffset = (text: string): boolean => /(?:[Zz]|[+-]\d\d(?::?\d\d)?)$/.test(text.slice(16));
