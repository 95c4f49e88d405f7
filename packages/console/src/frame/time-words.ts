import { html } from "hono/html";
import type { Html } from "./frame.ts";

/** Times as a person says them, with the exact one beside for whoever wants it. */

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const days = new Intl.DateTimeFormat("en-GB", { dateStyle: "long" });
const exact = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "medium" });

const dayText = (at: number): string => days.format(at);

const counted = (count: number, unit: string): string => (count === 1 ? `one ${unit}` : `${count} ${unit}s`);

function agoText(at: number, now: number): string {
  const past = now - at;
  if (past < minute) return "just now";
  if (past < hour) return `${counted(Math.floor(past / minute), "minute")} ago`;
  if (past < day) return `${counted(Math.floor(past / hour), "hour")} ago`;
  return past < 14 * day ? `${counted(Math.floor(past / day), "day")} ago` : `on ${dayText(at)}`;
}

const marked = (at: number, text: string): Html =>
  html`<time datetime="${new Date(at).toISOString()}" title="${exact.format(at)}">${text}</time>`;

export const ago = (at: number, now: number): Html => marked(at, agoText(at, now));
export const onDay = (at: number): Html => marked(at, dayText(at));

const shortDays = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const shortTimes = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

/** When a record is from: the day, and the time of day unless it names only a day. */
export const atTime = (at: number, isDay: boolean): Html =>
  marked(at, isDay ? shortDays.format(at) : `${shortDays.format(at)}, ${shortTimes.format(at)}`);

const weekdays = new Intl.DateTimeFormat("en-GB", { dateStyle: "full" });

/** The day above a list of what happened on it. */
export const dayHeading = (at: number): string => weekdays.format(at);
export const atMinute = (at: number): Html => marked(at, shortTimes.format(at));
