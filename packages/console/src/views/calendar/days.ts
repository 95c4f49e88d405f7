import { getZoneOffset, parseLocalInstant } from "@pdpp/evidence/text/local-time";

/** Days such as 2026-10-28 in the owner's time zone. */

const dayMs = 86_400_000;
/** The range of four-digit years. */
const [firstMoment, lastMoment] = [-62_135_596_800_000, 253_402_300_799_999];

/** Leaves room for the offset of any zone. */
const margin = 15 * 3_600_000;
const clamp = (instant: number): number => Math.min(Math.max(instant, firstMoment + margin), lastMoment - margin);

export const getLocalDay = (instant: number, zone: string): string => {
  const within = clamp(instant);
  return new Date(within + getZoneOffset(zone, within)).toISOString().slice(0, 10);
};

/** Hours and minutes since the start of the local day. */
export function getLocalMinutes(instant: number, zone: string): number {
  const within = clamp(instant);
  const local = new Date(within + getZoneOffset(zone, within));
  return local.getUTCHours() * 60 + local.getUTCMinutes();
}

export const getDayStart = (day: string, zone: string): number => parseLocalInstant(day, zone) ?? 0;

export const addDays = (day: string, days: number): string =>
  new Date(clamp(Date.parse(day) + days * dayMs)).toISOString().slice(0, 10);

export function addMonths(month: string, months: number): string {
  const at = new Date(Date.parse(`${month.slice(0, 7)}-01`));
  at.setUTCMonth(at.getUTCMonth() + months);
  return new Date(clamp(at.getTime())).toISOString().slice(0, 7);
}

/** The Monday on or before the day. */
export const getWeekStart = (day: string): string => addDays(day, -((new Date(Date.parse(day)).getUTCDay() + 6) % 7));

export const listDays = (first: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => addDays(first, i));

/** All weeks that a month touches. */
export function listMonthDays(month: string): string[] {
  const first = getWeekStart(`${month}-01`);
  const next = `${addMonths(month, 1)}-01`;
  return listDays(first, addDays(first, 28) >= next ? 28 : addDays(first, 35) >= next ? 35 : 42);
}

export const isDay = (text: string | undefined): text is string =>
  text !== undefined &&
  /^(?!0|9999)\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/.test(text) &&
  !Number.isNaN(Date.parse(text));

export const isMonth = (text: string | undefined): text is string => isDay(`${text}-01`);

const createFormat = (options: Intl.DateTimeFormatOptions) => {
  const format = new Intl.DateTimeFormat("en-GB", { ...options, timeZone: "UTC" });
  return (day: string): string => format.format(Date.parse(day));
};
export const formatMonthName = createFormat({ month: "long", year: "numeric" });
export const formatWeekday = createFormat({ weekday: "short" });
export const formatDayName = createFormat({ weekday: "long", day: "numeric", month: "long" });
export const formatLongDay = createFormat({ dateStyle: "long" });
export const formatShortDay = createFormat({ day: "numeric", month: "short" });

export const formatClock = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
