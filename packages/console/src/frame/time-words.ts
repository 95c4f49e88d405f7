import { html } from "hono/html";
import type { Html } from "./frame.ts";

/** Times as a person says them, with the exact one beside for whoever wants it. They are in UTC; a script puts them into the browser's zone. */

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const inUtc = (form: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat("en-GB", { ...form, timeZone: "UTC" });

const days = inUtc({ dateStyle: "long" });
const exact = inUtc({ dateStyle: "long", timeStyle: "medium" });
const shortDays = inUtc({ day: "numeric", month: "short", year: "numeric" });
const shortTimes = inUtc({ hour: "2-digit", minute: "2-digit" });
const weekdays = inUtc({ dateStyle: "full" });

const counted = (count: number, unit: string): string => (count === 1 ? `one ${unit}` : `${count} ${unit}s`);

function agoText(at: number, now: number): string {
  const past = now - at;
  if (past < minute) return "just now";
  if (past < hour) return `${counted(Math.floor(past / minute), "minute")} ago`;
  if (past < day) return `${counted(Math.floor(past / hour), "hour")} ago`;
  return `${counted(Math.floor(past / day), "day")} ago`;
}

/** How the script writes it: as it is, or in the zone of the browser. */
type As = "ago" | "day" | "short" | "minute";

/** `written`: as a record has it. */
const marked = (at: number, as: As, text: string, written = `${exact.format(at)} UTC`): Html =>
  html`<time datetime="${new Date(at).toISOString()}" title="${written}" data-as="${as}">${text}</time>`;

export const ago = (at: number, now: number): Html =>
  now - at < 14 * day ? marked(at, "ago", agoText(at, now)) : html`on ${onDay(at)}`;
export const onDay = (at: number): Html => marked(at, "day", days.format(at));

/** When a record is from. A day is the same day everywhere. */
export const atTime = (at: number, isDay: boolean, written?: string): Html =>
  isDay
    ? html`<time datetime="${new Date(at).toISOString().slice(0, 10)}">${shortDays.format(at)}</time>`
    : marked(at, "short", `${shortDays.format(at)}, ${shortTimes.format(at)}`, written);

/** A local time as `2026-10-28 08:50 +01:00`, or a date; the script leaves it as it is. */
export function atLocalTime(local: string, written: string): Html {
  const [date = "", time, offset] = local.split(" ");
  const day = shortDays.format(Date.parse(date));
  return time === undefined
    ? html`<time datetime="${date}">${day}</time>`
    : html`<time datetime="${date}T${time}${offset}" title="${written}">${day}, ${time} ${offset}</time>`;
}

const months = inUtc({ month: "short", year: "numeric" });

/** What a bar of a chart stands for. */
export const monthOf = (at: number): string => months.format(at);

/** The day above a list of what happened on it. */
export const dayHeading = (at: number): string => weekdays.format(at);
export const atMinute = (at: number): Html => marked(at, "minute", shortTimes.format(at));
