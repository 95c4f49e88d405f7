import { type DateOrder, inOrder } from "../../core/date-order.ts";
import type { LocalTime } from "../../core/times.ts";

/** The beginning of a message: date, time and sender, as phones of many countries write them. */

const unseen = "[\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069\\ufeff]*";
const digit = "[0-9\\u0660-\\u0669\\u06f0-\\u06f9]";
const space = "[ \\u00a0\\u202f]";
const half = "[AaPp]\\.?[ \\u00a0\\u202f]?[Mm]\\.?|오전|오후|上午|下午|午前|午後|\\u0635|\\u0645";

const header = new RegExp(
  `^${unseen}(?:(\\[)${unseen})?(${digit}{1,4})([./-])${space}?(${digit}{1,2})\\3${space}?(${digit}{1,4})\\.?` +
    `(?:[,،]|${space})+(?:(${half})${space})?(${digit}{1,2})[:.](${digit}{2})(?:[:.](${digit}{2}))?(?:${space}?(${half}))?` +
    `${unseen}${space}?(?:\\]|-)${space}(.*)$`,
  "s",
);

export interface Header {
  /** The three parts of the date, in the order in which they stand. */
  readonly date: readonly [number, number, number];
  readonly hasLongYear: boolean;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** Null for what the app itself says. */
  readonly sender: string | null;
  readonly text: string;
}

export function headerOf(line: string): Header | null {
  const found = header.exec(line);
  if (found === null) return null;
  const [, bracket, a = "", , b = "", c = "", before, hour = "", minute = "", second, after, rest = ""] = found;
  // `[date] ...` ends with a bracket, `date - ...` with a dash.
  const isClosed = line.slice(0, line.length - rest.length).includes("]");
  if ((bracket !== undefined) !== isClosed) return null;
  const [sender, text] = parted(rest);
  const isAfternoon = /^p|오후|下午|午後|\u0645/i.test(before ?? after ?? "");
  const isHalf = (before ?? after) !== undefined;
  const written = numberOf(hour);
  return {
    date: [numberOf(a), numberOf(b), numberOf(c)],
    hasLongYear: a.length === 4 || c.length === 4,
    hour: isHalf ? (written % 12) + (isAfternoon ? 12 : 0) : written,
    minute: numberOf(minute),
    second: second === undefined ? 0 : numberOf(second),
    sender,
    text,
  };
}

/** `Name: text`; a line without a colon is the app's own. */
function parted(rest: string): [string | null, string] {
  const colon = rest.indexOf(":");
  if (colon < 1) return [null, plain(rest)];
  const name = plain(rest.slice(0, colon)).trim();
  // No name is that long, and none has a line break or a quotation mark in it.
  if (name === "" || name.length > 100 || /["“”«»\n]/.test(name)) return [null, plain(rest)];
  return [name, rest.slice(colon + 1).replace(/^[ \u00a0]/, "")];
}

const marks = /[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** Without the marks that only say in which direction to write. */
export const plain = (text: string): string => text.replace(marks, "");

function numberOf(digits: string): number {
  if (digits.charCodeAt(0) < 128) return Number(digits);
  const ascii = Array.from(digits, (char) => {
    const code = char.codePointAt(0) ?? 0;
    if (code >= 0x6f0) return String(code - 0x6f0);
    return code >= 0x660 ? String(code - 0x660) : char;
  });
  return Number(ascii.join(""));
}

export function timeOf({ date, hasLongYear, hour, minute, second }: Header, order: DateOrder): LocalTime {
  const { year, month, day } = inOrder(date, order);
  return { year: hasLongYear ? year : 2000 + year, month, day, hour, minute, second };
}
