/**
 * The household lives by the clock of Europe/Berlin; stories say "2026-01-12 06:48" and records say UTC.
 * The vault covers one known year, so its two clock changes are written down instead of asked from a time zone library.
 */
export const firstDay = "2025-11-01";
export const lastDay = "2026-10-31";
export const timeZone = "Europe/Berlin";

const minute = 60_000;
const summerTime = { from: localMs("2026-03-29 03:00"), until: localMs("2026-10-25 03:00") };

function localMs(local: string): number {
  return Date.parse(`${local.slice(0, 10)}T${local.slice(11) || "00:00"}:00Z`);
}

function localText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16).replace("T", " ");
}

export function utc(local: string): string {
  const ms = localMs(local);
  const hours = ms >= summerTime.from && ms < summerTime.until ? 2 : 1;
  return isoSeconds(ms - hours * 60 * minute);
}

function isoSeconds(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

export function addMinutes(local: string, minutes: number): string {
  return localText(localMs(local) + minutes * minute);
}

export function addDays(date: string, days: number): string {
  return localText(localMs(date) + days * 1440 * minute).slice(0, 10);
}

/** 0 is Sunday. */
export function weekday(date: string): number {
  return new Date(localMs(date)).getUTCDay();
}

export function daysBetween(from: string, to: string): number {
  return Math.round((localMs(to.slice(0, 10)) - localMs(from.slice(0, 10))) / (1440 * minute));
}

const monthNames = "January February March April May June July August September October November December".split(" ");

export function monthName(date: string): string {
  return monthNames[Number(date.slice(5, 7)) - 1]!;
}

/** "12 January 2026" */
export function longDate(date: string): string {
  return `${Number(date.slice(8, 10))} ${monthName(date)} ${date.slice(0, 4)}`;
}

/** "12.01.2026" */
export function germanDate(date: string): string {
  return `${date.slice(8, 10)}.${date.slice(5, 7)}.${date.slice(0, 4)}`;
}

/** When a connector that runs every hour would have seen something that happened at `iso`. */
export function collectedAt(iso: string): string {
  const hour = 60 * minute;
  return isoSeconds((Math.floor(Date.parse(iso) / hour) + 1) * hour + 4 * minute);
}
