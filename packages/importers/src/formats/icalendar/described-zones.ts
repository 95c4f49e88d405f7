import { unescapeText } from "../../core/parsing/content-lines.ts";
import { getOffset } from "../../core/time/times.ts";
import { findZone, parseOffsetZone, usualZones } from "./zones.ts";

/** Time zones defined in a calendar file. */

/** More than a zone description over centuries needs. */
const maxBytes = 65_536;

/** Most definitions name a known zone. For others, use a zone with the same rules, else the standard offset. */
export function addDescribedZone(bytes: Buffer, zones: Map<string, string>): void {
  const text = bytes.toString("utf8", 0, maxBytes).replace(/\r{0,2}\n[ \t]/g, "");
  const written = /^TZID[^:\n]*:(.*)$/im.exec(text)?.[1]?.trim();
  if (written === undefined) return;
  const id = unescapeText(written);
  const location = /^X-LIC-LOCATION[^:\n]*:(.*)$/im.exec(text)?.[1];
  const usual = text.search(/BEGIN:STANDARD/i);
  const standard = usual < 0 ? undefined : /^TZOFFSETTO[^:\n]*:([+-]\d{4})/im.exec(text.slice(usual))?.[1];
  const zone = findZone(location ?? "") ?? findZone(id) ?? findZoneByRules(text) ?? parseOffsetZone(standard ?? "");
  if (zone !== undefined) zones.set(id, zone);
}

/** When in a year an offset, in minutes, starts to apply. */
interface Change {
  readonly day: number;
  readonly minutes: number;
}

const aDay = 86_400_000;
/** Any year works for rules that are in force. */
const year = 2024;

/** Office programs name zones arbitrarily, in any language; their daylight saving rules identify them. */
function findZoneByRules(text: string): string | undefined {
  const [winter, summer] = [findChange(text, "STANDARD"), findChange(text, "DAYLIGHT")];
  if (winter === undefined || summer === undefined) return undefined;
  const isSo = (zone: string, { day, minutes }: Change, before: number): boolean =>
    getOffset(day + aDay, zone) === minutes && getOffset(day - aDay, zone) === before;
  return usualZones.find((zone) => isSo(zone, winter, summer.minutes) && isSo(zone, summer, winter.minutes));
}

/** The last open-ended rule of its kind. */
function findChange(text: string, kind: string): Change | undefined {
  const rules = [...text.matchAll(new RegExp(`BEGIN:${kind}\\b([^]*?)END:${kind}`, "gi"))].flatMap(([, rule = ""]) => {
    const offset = /^TZOFFSETTO[^:\n]*:([+-])(\d\d)(\d\d)/im.exec(rule);
    const said = /^RRULE[^:\n]*:(.*)$/im.exec(rule)?.[1] ?? "";
    const month = /\bBYMONTH=(\d{1,2})/i.exec(said)?.[1];
    const day = /\bBYDAY=([+-]?[1-5])(SU|MO|TU|WE|TH|FR|SA)/i.exec(said);
    if (offset === null || month === undefined || day === null || /\bUNTIL=/i.test(said)) return [];
    const minutes = (Number(offset[2]) * 60 + Number(offset[3])) * (offset[1] === "-" ? -1 : 1);
    return [{ day: findWeekday(Number(month), Number(day[1]), (day[2] ?? "").toUpperCase()), minutes }];
  });
  return rules.at(-1);
}

/** Noon of the nth (or last) weekday of a month. */
function findWeekday(month: number, nth: number, weekday: string): number {
  const wanted = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"].indexOf(weekday);
  const days = Array.from({ length: 31 }, (_, n) => new Date(Date.UTC(year, month - 1, n + 1, 12))).filter(
    (date) => date.getUTCMonth() === month - 1 && date.getUTCDay() === wanted,
  );
  return days.at(nth < 0 ? nth : nth - 1)?.getTime() ?? Number.NaN;
}
