import { isReal, type LocalTime } from "./times.ts";

/** Times in English prose, as Google writes them: `Monday, August 25, 2014 at 5:29:21 PM UTC`, `Jan 31, 2018, 10:54:50 PM`. */

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** Abbreviations that mean one offset, in minutes. */
const offsets: Readonly<Record<string, number>> = {
  UTC: 0,
  GMT: 0,
  Z: 0,
  EST: -300,
  EDT: -240,
  CST: -360,
  CDT: -300,
  MST: -420,
  MDT: -360,
  PST: -480,
  PDT: -420,
  CET: 60,
  CEST: 120,
  EET: 120,
  EEST: 180,
  BST: 60,
  JST: 540,
};

const prose =
  /^(?:[A-Za-z]+, )?([A-Za-z]{3})[a-z]*\.? (\d{1,2}), (\d{4})(?:,| at) (\d{1,2}):(\d{2})(?::(\d{2}))?(?: ?([AP])\.?M\.?)?(?: ([A-Z]{1,5}|GMT[+-]\d{1,2}(?::\d{2})?))?$/i;

export interface EnglishTime {
  readonly local: LocalTime;
  /** Minutes ahead of UTC, where the text says so. */
  readonly offset: number | null;
}

export function englishTime(text: string): EnglishTime | null {
  const found = prose.exec(text.replace(/[\u202f\u00a0\s]+/g, " ").trim());
  if (found === null) return null;
  const [, month = "", day, year, hour, minute, second = "0", half, zone] = found;
  const written = Number(hour);
  const local: LocalTime = {
    year: Number(year),
    month: months.indexOf(month.toLowerCase()) + 1,
    day: Number(day),
    hour: half === undefined ? written : (written % 12) + (half.toLowerCase() === "p" ? 12 : 0),
    minute: Number(minute),
    second: Number(second),
  };
  return local.month > 0 && isReal(local) ? { local, offset: offsetOf(zone) } : null;
}

function offsetOf(zone: string | undefined): number | null {
  if (zone === undefined) return null;
  const [, sign, hours, minutes = "0"] = /^GMT([+-])(\d{1,2})(?::(\d{2}))?$/i.exec(zone) ?? [];
  if (hours !== undefined) return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  return offsets[zone.toUpperCase()] ?? null;
}
