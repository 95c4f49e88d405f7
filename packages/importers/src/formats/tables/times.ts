import { type DateOrder, toYearMonthDay } from "../../core/time/date-order.ts";
import { parseEnglishTime } from "../../core/time/english-time.ts";
import { formatInstant, formatInZone, isValidTime, resolveTime } from "../../core/time/times.ts";

/** Times in tables. */

const written =
  /^(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})(?:(?:T|,? )(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?(?: ?([AP])\.?M\.?)?)?(?: ?(Z|UTC|[+-]\d\d:?\d\d))?$/i;
const compact = /^((?:19|20)\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/;
/** `31 Jan 2024`, `Jan 31, 2024 3:45 PM`. */
const prose =
  /^(?:[A-Za-z]{3,9},? )?(?:(\d{1,2})[ -]([A-Za-z]{3,9})|([A-Za-z]{3,9})\.? (\d{1,2}),?)[ -](\d{4})(?:(?:,| at)? (\d.*))?$/;

/** Seconds, milliseconds or microseconds since 1970, distinguished by length; from 2001 on. */
function parseEpoch(text: string): number | null {
  if (!/^\d{10}(\.\d+)?$|^\d{13}$|^\d{16}$/.test(text)) return null;
  const number = Number(text);
  return number < 1e10 ? number * 1000 : number < 1e13 ? number : number / 1000;
}

/** Whether a value can only be a time. A number counts only in a column whose name says so. */
export function isTime(value: unknown, column = ""): boolean {
  const text = typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
  if (isTimeName(column) && parseEpoch(text) !== null) return true;
  if (typeof value !== "string") return false;
  const [, a = "", sign, , c = ""] = written.exec(text) ?? [];
  // Two-digit years with dashes could be something else.
  const isDay = a.length === 4 ? c.length <= 2 : a.length <= 2 && (c.length === 4 || (c.length === 2 && sign !== "-"));
  return (
    (sign !== undefined && isDay) || compact.test(text) || (prose.test(text) && formatTime(text, "mdy", "UTC") !== null)
  );
}

const isTimeName = (column: string): boolean =>
  /date|time|when|created|updated|modified|stamp|[_ ]at$|At$|^at$|datum|fecha|^data$/i.test(column);

/** Formats a time for a record; null if it is not one. */
export function formatTime(text: string, order: DateOrder, zone: string): string | null {
  const epoch = parseEpoch(text);
  if (epoch !== null) return formatInstant(epoch);
  const [, whole, month2 = "", day2 = ""] = compact.exec(text) ?? [];
  if (whole !== undefined) return formatTime(`${whole}-${month2}-${day2}`, "ymd", zone);
  const found = written.exec(text);
  if (found === null) return parseProseTime(text, zone);
  const [, a, , b, c, hours = "0", minutes = "0", seconds = "0", half, offset] = found;
  const { year, month, day } = toYearMonthDay([Number(a), Number(b), Number(c)], Number(a) > 31 ? "ymd" : order);
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (/p/i.test(half) ? 12 : 0);
  const local = {
    year: year < 100 ? 2000 + year : year,
    month,
    day,
    hour,
    minute: Number(minutes),
    second: Number(seconds),
  };
  if (!isValidTime(local)) return null;
  if (offset === undefined) return formatInZone(local, zone);
  if (/^\d{4}-\d\d-\d\d[T ]\d\d:/.test(text) && half === undefined)
    return formatInstant(
      Date.parse(
        text
          .replace(" ", "T")
          .replace(",", ".")
          .replace(/ ?UTC$/i, "Z")
          .replace(/ (?=[Z+-])/i, ""),
      ),
    );
  const [, sign, ahead = "0", more = "0"] = /^([+-])(\d\d):?(\d\d)$/.exec(offset) ?? [];
  const known = (sign === "-" ? -1 : 1) * (Number(ahead) * 60 + Number(more));
  return resolveTime({ local, offset: known })?.sentAt ?? null;
}

function parseProseTime(text: string, zone: string): string | null {
  const [, day1, month1, month2, day2, year, clock = "00:00"] = prose.exec(text) ?? [];
  if (year === undefined) return null;
  return resolveTime(parseEnglishTime(`${month1 ?? month2} ${day1 ?? day2}, ${year}, ${clock}`), zone)?.sentAt ?? null;
}
