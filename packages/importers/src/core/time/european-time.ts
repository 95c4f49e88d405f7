import { type ParsedTime, parseEnglishTime, parseOffset } from "./english-time.ts";
import { isValidTime } from "./times.ts";

/**
 * Parses times as Google writes them in the account's language: English, or day first with a numeric or written month: `31.01.2018,
 * 22:54:50 MEZ`, `31 janv. 2018, 22:54:50 CET`, `lunes, 25 de agosto de 2014, 17:29:21 UTC`.
 */

/** Prefixes of month names in German, French, Spanish, Italian, Portuguese, Dutch, the Nordic languages and Polish. */
const months: readonly (readonly string[])[] = [
  ["jan", "ene", "gen", "sty"],
  ["feb", "fev", "lut"],
  ["mar", "mrt", "maa"],
  ["apr", "avr", "abr", "kwi"],
  ["mai", "maj", "may", "mag", "mei"],
  ["jun", "juin", "giu", "cze"],
  ["jul", "juil", "lug", "lip"],
  ["aug", "aou", "ago", "sie"],
  ["sep", "set", "wrz"],
  ["oct", "okt", "ott", "out", "paz"],
  ["nov", "lis"],
  ["dec", "dez", "des", "dic", "gru"],
];

const words =
  /^(?:\p{L}[\p{L}-]*,? )?(?<day>\d{1,2})\.? (?:de )?(?<month>\p{L}{3,12})\.?,?(?: de)? (?<year>\d{4})\b,?(?: \p{L}+\.?){0,2} (?<hour>\d{1,2})[:.](?<minute>\d{2})(?:[:.](?<second>\d{2}))?(?: (?<zone>\S{1,9}))?$/u;
const numbers =
  /^(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>\d{4}),? (?<hour>\d{1,2})[:.](?<minute>\d{2})(?:[:.](?<second>\d{2}))?(?: (?<zone>\S{1,9}))?$/;

export function parseWrittenTime(text: string): ParsedTime | null {
  const english = parseEnglishTime(text);
  if (english !== null) return english;
  const plain = text.replace(/\s+/g, " ").trim();
  const found = (numbers.exec(plain) ?? words.exec(plain))?.groups;
  if (found === undefined) return null;
  const { day, month = "", year, hour, minute, second = "0", zone } = found;
  const local = {
    year: Number(year),
    month: /\d/.test(month) ? Number(month) : findMonth(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
  };
  return isValidTime(local) ? { local, offset: parseOffset(zone) } : null;
}

function findMonth(word: string): number {
  const plain = word.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");
  return months.findIndex((begins) => begins.some((each) => plain.startsWith(each))) + 1;
}
