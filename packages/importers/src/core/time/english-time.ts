import { isValidTime, type LocalTime } from "./times.ts";

/**
 * Parses times in English prose as Google writes them: `Monday, August 25, 2014 at 5:29:21 PM UTC`, `Jan 31, 2018, 10:54:50 PM`, and
 * outside America `31 Jan 2018, 22:54:50 GMT`.
 */

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** Unambiguous abbreviations and their offsets in minutes. */
// biome-ignore format: a compact table
const offsets: Readonly<Record<string, number>> = {
  UTC: 0, GMT: 0, Z: 0, EST: -300, EDT: -240, CST: -360, CDT: -300, MST: -420, MDT: -360, PST: -480, PDT: -420, CET: 60,
  CEST: 120, MEZ: 60, MESZ: 120, EET: 120, EEST: 180, BST: 60, JST: 540, BRT: -180, AWST: 480, ACST: 570, ACDT: 630,
  AEST: 600, AEDT: 660, NZST: 720, NZDT: 780,
};

const prose = new RegExp(
  [
    "^(?:[a-z]+,? )?(?:(?<month>[a-z]{3})[a-z]*\\.? (?<day>\\d{1,2}),|(?<dayFirst>\\d{1,2}) (?<monthSecond>[a-z]{3})[a-z]*\\.?,?)",
    " (?<year>\\d{4})(?:,| at) (?<hour>\\d{1,2}):(?<minute>\\d{2})(?::(?<second>\\d{2}))?(?: ?(?<half>[ap])\\.?m\\.?)?",
    "(?: (?<zone>[a-z]{1,5}|gmt[+-]\\d{1,2}(?::\\d{2})?))?$",
  ].join(""),
  "i",
);

export interface ParsedTime {
  readonly local: LocalTime;
  /** Minutes ahead of UTC, if the text says so. */
  readonly offset: number | null;
}

export function parseEnglishTime(text: string): ParsedTime | null {
  const found = prose.exec(text.replace(/[\u202f\u00a0\s]+/g, " ").trim())?.groups;
  if (found === undefined) return null;
  const { dayFirst, monthSecond = "", month = monthSecond, day = dayFirst, year, hour, minute, half, zone } = found;
  const { second = "0" } = found;
  const written = Number(hour);
  const local: LocalTime = {
    year: Number(year),
    month: months.indexOf(month.toLowerCase()) + 1,
    day: Number(day),
    hour: half === undefined ? written : (written % 12) + (half.toLowerCase() === "p" ? 12 : 0),
    minute: Number(minute),
    second: Number(second),
  };
  return local.month > 0 && isValidTime(local) ? { local, offset: parseOffset(zone) } : null;
}

/** Minutes ahead of UTC; null if the zone is missing, unknown or ambiguous. */
export function parseOffset(zone: string | undefined): number | null {
  if (zone === undefined) return null;
  const [, sign, hours, minutes = "0"] = /^(?:GMT|UTC)([+-])(\d{1,2})(?::(\d{2}))?$/i.exec(zone) ?? [];
  if (hours !== undefined) return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  return offsets[zone.toUpperCase()] ?? null;
}
