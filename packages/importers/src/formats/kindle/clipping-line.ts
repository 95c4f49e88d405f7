import { parseEnglishTime } from "../../core/time/english-time.ts";
import { parseWrittenTime } from "../../core/time/european-time.ts";
import { isValidTime, type LocalTime } from "../../core/time/times.ts";

/** The line under a book's title: kind, place and time, in the language of the Kindle. */

/** English, German, Spanish, French, Italian, Portuguese, Dutch, Russian, Chinese and Japanese. */
const noteWords = /\b(note|notiz|nota|notitie)\b|заметка|笔记|筆記|メモ/i;
const bookmarkWords =
  /\b(bookmark|lesezeichen|marcador|signet|segnalibro|marcador de página|bladwijzer)\b|закладка|书签|書籤|ブックマーク/i;

export function detectKind(line: string): "note" | "bookmark" | "highlight" {
  const kind = line.split("|")[0] ?? line;
  // Some languages put the kind after the place.
  const text = /[\u3040-\u30ff\u4e00-\u9fff]/.test(line) ? line : kind;
  if (bookmarkWords.test(text)) return "bookmark";
  return noteWords.test(text) ? "note" : "highlight";
}

export const findLocation = (line: string): string | undefined =>
  /(?:location|loc\.|position|posición|posição|emplacement|posizione|locatie|место|位置(?:No\.)?)\s*#?\s*(\d+)/i.exec(
    line,
  )?.[1];

const eastAsian =
  /(\d{4})年(\d{1,2})月(\d{1,2})日\D*?(上午|下午|午前|午後|凌晨|早上|中午|晚上)?\s*(\d{1,2})[:：时時](\d{2})(?:[:：分](\d{2}))?/;

export function parseClippingTime(line: string): LocalTime | null {
  const written = line.replace(/^.*\bAdded on /, "").replace(/(\d{4}),? (\d)/, "$1, $2");
  // British English puts the day before the month.
  const english = parseEnglishTime(written.replace(/\b(\d{1,2}) ([A-Z][a-z]+) (\d{4})/, "$2 $1, $3"));
  return english?.local ?? parseEastAsianTime(line) ?? parseEuropeanTime(line.split("|").at(-1) ?? "");
}

function parseEastAsianTime(line: string): LocalTime | null {
  const found = eastAsian.exec(line);
  if (found === null) return null;
  const [, year, month, day, half = "", hour, minute, second = "0"] = found;
  const isAfternoon = /下午|午後|晚上/.test(half) || (half === "中午" && Number(hour) < 3);
  const isMorning = /上午|午前|凌晨|早上/.test(half);
  const local = {
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: isAfternoon ? (Number(hour) % 12) + 12 : isMorning ? Number(hour) % 12 : Number(hour),
    minute: Number(minute),
    second: Number(second),
  };
  return isValidTime(local) ? local : null;
}

/** `Hinzugefügt am Montag, 1. Januar 2024 13:01:30`, `Añadido el lunes, 1 de enero de 2024 1:01:30 p. m.` */
function parseEuropeanTime(text: string): LocalTime | null {
  const start = text.search(/\d{1,2}\.? (?:de )?\p{L}{3,}|\d{1,2}\.\d{1,2}\.\d{4}/u);
  if (start < 0) return null;
  const [, time = "", half] = /^(.*?)\s*(?:\b([ap])\.?\s?m\.?)?\s*$/iu.exec(text.slice(start)) ?? [];
  const local = parseWrittenTime(time.replace(/(\d{1,2})\s?[Hh]\s?(\d{2})'(\d{2})"?/, "$1:$2:$3"))?.local;
  if (local === undefined) return null;
  return half === undefined ? local : { ...local, hour: (local.hour % 12) + (half.toLowerCase() === "p" ? 12 : 0) };
}
