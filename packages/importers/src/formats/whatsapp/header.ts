import { type DateOrder, toYearMonthDay } from "../../core/time/date-order.ts";
import type { LocalTime } from "../../core/time/times.ts";

/** Message headers (date, time and sender) as phones in many languages write them. */

const invisible = "[\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069\\ufeff]*";
const digit = "[0-9\\u0660-\\u0669\\u06f0-\\u06f9\\u0966-\\u096f\\u09e6-\\u09ef]";
const space = "[ \\u00a0\\u202f]";
const morning = "[Aa]\\.?[ \\u00a0\\u202f]?[Mm]\\.?|PG|ÖÖ|π\\.?μ\\.?|오전|凌晨|清晨|早上|上午|午前|\\u0635";
const afternoon = "[Pp]\\.?[ \\u00a0\\u202f]?[Mm]\\.?|PTG|ÖS|μ\\.?μ\\.?|오후|中午|下午|晚上|午後|\\u0645";
const half = `${morning}|${afternoon}`;
/** Between date and time in some languages. Other words may mean AM or PM, and are not skipped. */
const between = `(?:${space}?(?:г\\.|BE))?(?:[,،]|${space})+(?:(?:klo|kl\\.|à|u)${space})?`;

const header = new RegExp(
  `^${invisible}(?:(\\[)${invisible})?(${digit}{1,4})${invisible}([./-])${space}?(${digit}{1,2})${invisible}\\3${space}?(${digit}{1,4})\\.?` +
    `${between}(?:(${half})${space}?)?(${digit}{1,2})[:.](${digit}{2})(?:[:.](${digit}{2}))?(?:${space}?(${half}))?` +
    `${invisible}${space}?(?:\\]|-)${space}(.*)$`,
  "s",
);
const afternoonOnly = new RegExp(`^(?:${afternoon})$`);

export interface Header {
  /** `[date] ...` rather than `date - ...`. */
  readonly isBracketed: boolean;
  /** The parts of the date, in written order. */
  readonly date: readonly [number, number, number];
  readonly hasLongYear: boolean;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** Null for messages of the app itself. */
  readonly sender: string | null;
  readonly text: string;
}

export function parseHeader(line: string): Header | null {
  const found = header.exec(line);
  if (found === null) return null;
  const [, bracket, a = "", , b = "", c = "", before, hour = "", minute = "", second, after, rest = ""] = found;
  // `[date] ...` must close with a bracket, `date - ...` with a dash.
  const isClosed = line.slice(0, line.length - rest.length).includes("]");
  if ((bracket !== undefined) !== isClosed) return null;
  const [sender, text] = splitSender(rest);
  const isAfternoon = afternoonOnly.test(before ?? after ?? "");
  const isHalf = (before ?? after) !== undefined;
  const written = parseDigits(hour);
  return {
    isBracketed: bracket !== undefined,
    date: [parseDigits(a), parseDigits(b), parseDigits(c)],
    hasLongYear: a.length === 4 || c.length === 4,
    hour: isHalf ? (written % 12) + (isAfternoon ? 12 : 0) : written,
    minute: parseDigits(minute),
    second: second === undefined ? 0 : parseDigits(second),
    sender,
    text,
  };
}

/** Splits `Name: text`; a line without a colon is a system message. */
function splitSender(rest: string): [string | null, string] {
  // Names may contain colons, but rarely followed by a space.
  const spaced = rest.search(/:[ \u00a0]/);
  const colon = spaced < 0 ? rest.indexOf(":") : spaced;
  if (colon < 1) return [null, stripMarks(rest)];
  const name = stripMarks(rest.slice(0, colon)).trim();
  // Names are shorter, and contain no line breaks or quotes.
  if (name === "" || name.length > 100 || /["“”«»\n]/.test(name)) return [null, stripMarks(rest)];
  return [name, rest.slice(colon + 1).replace(/^[ \u00a0]/, "")];
}

/** All headers of a chat look like the first; others are in pasted messages. */
export function createHeaderParser(): (line: string) => Header | null {
  let first: Header | null = null;
  return (line) => {
    const header = parseHeader(line);
    first ??= header;
    return header?.isBracketed === first?.isBracketed ? header : null;
  };
}

const marks = /[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** Removes invisible direction marks. */
export const stripMarks = (text: string): string => text.replace(marks, "");

function parseDigits(digits: string): number {
  if (digits.charCodeAt(0) < 128) return Number(digits);
  const ascii = Array.from(digits, (char) => {
    const code = char.codePointAt(0) ?? 0;
    return String(code - (zeros.find((zero) => code >= zero) ?? 0x30));
  });
  return Number(ascii.join(""));
}

/** Zero in Bengali, Devanagari, Persian and Arabic. */
const zeros = [0x9e6, 0x966, 0x6f0, 0x660];

export function toLocalTime({ date, hasLongYear, hour, minute, second }: Header, order: DateOrder): LocalTime {
  const { year, month, day } = toYearMonthDay(date, order);
  return { year: hasLongYear ? toGregorianYear(year) : 2000 + year, month, day, hour, minute, second };
}

/** Thai phones use Buddhist years, which are 543 ahead. */
const toGregorianYear = (year: number): number => (year > 2500 ? year - 543 : year);
