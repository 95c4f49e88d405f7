import { getOffset, type LocalTime } from "../../core/time/times.ts";

/** Time zone names used in calendars. */

const windows: Readonly<Record<string, string>> = {
  "alaskan standard time": "America/Anchorage",
  "arab standard time": "Asia/Riyadh",
  "arabian standard time": "Asia/Dubai",
  "argentina standard time": "America/Argentina/Buenos_Aires",
  "atlantic standard time": "America/Halifax",
  "aus eastern standard time": "Australia/Sydney",
  "azores standard time": "Atlantic/Azores",
  "bangladesh standard time": "Asia/Dhaka",
  "canada central standard time": "America/Regina",
  "cen. australia standard time": "Australia/Adelaide",
  "central america standard time": "America/Guatemala",
  "central europe standard time": "Europe/Budapest",
  "central european standard time": "Europe/Warsaw",
  "central standard time": "America/Chicago",
  "central standard time (mexico)": "America/Mexico_City",
  "china standard time": "Asia/Shanghai",
  "e. africa standard time": "Africa/Nairobi",
  "e. australia standard time": "Australia/Brisbane",
  "e. europe standard time": "Europe/Chisinau",
  "e. south america standard time": "America/Sao_Paulo",
  "eastern standard time": "America/New_York",
  "egypt standard time": "Africa/Cairo",
  "fle standard time": "Europe/Kiev",
  "gmt standard time": "Europe/London",
  "greenwich standard time": "Atlantic/Reykjavik",
  "gtb standard time": "Europe/Bucharest",
  "hawaiian standard time": "Pacific/Honolulu",
  "india standard time": "Asia/Kolkata",
  "iran standard time": "Asia/Tehran",
  "israel standard time": "Asia/Jerusalem",
  "korea standard time": "Asia/Seoul",
  "middle east standard time": "Asia/Beirut",
  "morocco standard time": "Africa/Casablanca",
  "mountain standard time": "America/Denver",
  "nepal standard time": "Asia/Kathmandu",
  "new zealand standard time": "Pacific/Auckland",
  "newfoundland standard time": "America/St_Johns",
  "pacific sa standard time": "America/Santiago",
  "pacific standard time": "America/Los_Angeles",
  "pakistan standard time": "Asia/Karachi",
  "romance standard time": "Europe/Paris",
  "russian standard time": "Europe/Moscow",
  "sa pacific standard time": "America/Bogota",
  "sa western standard time": "America/La_Paz",
  "se asia standard time": "Asia/Bangkok",
  "singapore standard time": "Asia/Singapore",
  "south africa standard time": "Africa/Johannesburg",
  "sri lanka standard time": "Asia/Colombo",
  "taipei standard time": "Asia/Taipei",
  "tasmania standard time": "Australia/Hobart",
  "tokyo standard time": "Asia/Tokyo",
  "turkey standard time": "Europe/Istanbul",
  "us eastern standard time": "America/Indianapolis",
  "us mountain standard time": "America/Phoenix",
  "venezuela standard time": "America/Caracas",
  "w. australia standard time": "Australia/Perth",
  "w. central africa standard time": "Africa/Lagos",
  "w. europe standard time": "Europe/Berlin",
};

/** Candidates for zones described only by their rules; the first match is used. */
export const usualZones: readonly string[] = ["Europe/Berlin", ...new Set(Object.values(windows))];

function isKnown(zone: string): boolean {
  try {
    getOffset(0, zone);
    return true;
  } catch {
    return false;
  }
}

/**
 * Maps `Europe/Berlin`, `/example.org/2008/Europe/Berlin` and `W. Europe Standard Time` to Europe/Berlin; undefined
 * for unknown names.
 */
export function findZone(name: string): string | undefined {
  const bare = name.trim().replace(/^"|"$/g, "");
  const parts = bare.split("/").filter((part) => part !== "");
  const tails = [3, 2, 1]
    .filter((toNumber) => toNumber <= parts.length)
    .map((toNumber) => parts.slice(-toNumber).join("/"));
  return (
    [bare, windows[bare.toLowerCase()], ...tails].find((each) => each !== undefined && each !== "" && isKnown(each)) ??
    parseDisplayedZone(bare)
  );
}

const american: readonly (readonly [RegExp, string])[] = [
  [/\bEastern Time\b/i, "America/New_York"],
  [/\bCentral Time\b/i, "America/Chicago"],
  [/\bMountain Time\b/i, "America/Denver"],
  [/\bPacific Time\b/i, "America/Los_Angeles"],
];

/**
 * Zones as Windows displays them: `(UTC+01:00) Amsterdam, Berlin, Bern`, `(GMT-05:00) Eastern Time (US & Canada)`.
 */
function parseDisplayedZone(name: string): string | undefined {
  const offset = /^\((?:UTC|GMT) ?([+-]\d\d)[:.](\d\d)\)/i.exec(name);
  if (offset === null && !name.includes(",")) return undefined;
  const wide = american.find(([words]) => words.test(name))?.[1];
  if (wide !== undefined) return wide;
  const cities = name.split(/[^\p{L} ]+/u).map((city) => city.trim().replaceAll(" ", "_"));
  const found = Intl.supportedValuesOf("timeZone").find((zone) =>
    cities.includes(zone.slice(zone.lastIndexOf("/") + 1)),
  );
  return found ?? (offset === null ? undefined : parseOffsetZone(`${offset[1]}${offset[2]}`));
}

/** A zone definition's offset as a zone: `+02:00`. */
export function parseOffsetZone(value: string): string | undefined {
  const found = /^([+-])(\d{2})(\d{2})/.exec(value.trim());
  const zone = found === null ? undefined : `${found[1]}${found[2]}:${found[3]}`;
  return zone !== undefined && isKnown(zone) ? zone : undefined;
}

export interface IcsTime {
  readonly local: LocalTime;
  /** A date without a time. */
  readonly isDay: boolean;
  /** Marked as UTC in the value. */
  readonly isUtc: boolean;
}

/** `20260131`, `20260131T093000`, `20260131T093000Z`. */
export function parseIcsTime(value: string): IcsTime | undefined {
  const found = /^(\d{4})-?(\d{2})-?(\d{2})(?:T(\d{2}):?(\d{2}):?(\d{2})?(Z)?)?$/i.exec(
    value.replaceAll('"', "").trim(),
  );
  if (found === null) return undefined;
  const [, year, month, day, hour, minute, second, utc] = found;
  const toNumber = (text: string | undefined): number => Number(text ?? 0);
  return {
    local: {
      year: toNumber(year),
      month: toNumber(month),
      day: toNumber(day),
      hour: toNumber(hour),
      minute: toNumber(minute),
      second: Math.min(59, toNumber(second)),
    },
    isDay: hour === undefined,
    isUtc: utc !== undefined,
  };
}

/** Parses `P1DT2H` to milliseconds; undefined if invalid or longer than ten years. */
export function parseIcsDuration(value: string): number | undefined {
  const found = /^([+-])?P(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,8})S)?)?$/i.exec(
    value.trim(),
  );
  if (found === null) return undefined;
  const [, sign, weeks, days, hours, minutes, seconds] = found;
  const toNumber = (text: string | undefined): number => Number(text ?? 0);
  const total =
    (((toNumber(weeks) * 7 + toNumber(days)) * 24 + toNumber(hours)) * 60 + toNumber(minutes)) * 60_000 +
    toNumber(seconds) * 1000;
  return total > 3_660 * 86_400_000 ? undefined : sign === "-" ? -total : total;
}
