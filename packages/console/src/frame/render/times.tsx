import { formatAgo, formatUpcoming } from "@pdpp/evidence/text/ago";
import type { Html } from "../frame.tsx";

/** Relative times with the exact time attached. Rendered in UTC; a script converts them to the browser's zone. */

const day = 86_400_000;

const createUtcFormat = (form: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat("en-GB", { ...form, timeZone: "UTC" });

const days = createUtcFormat({ dateStyle: "long" });
const exact = createUtcFormat({ dateStyle: "long", timeStyle: "medium" });
const shortDays = createUtcFormat({ day: "numeric", month: "short", year: "numeric" });
const shortTimes = createUtcFormat({ hour: "2-digit", minute: "2-digit" });
const weekdays = createUtcFormat({ dateStyle: "full" });

/** How the script formats the time; "ago" is left as it is. */
type TimeFormat = "ago" | "day" | "short" | "minute";

/** `written`: the time as the record has it, for the tooltip. */
const renderTime = (at: number, as: TimeFormat, text: string, written = `${exact.format(at)} UTC`): Html => (
  <time datetime={new Date(at).toISOString()} title={written} data-as={as}>
    {text}
  </time>
);

export const renderAgo = (at: number, now: number): Html =>
  now - at < 14 * day ? renderTime(at, "ago", formatAgo(at, now)) : <>on {renderDay(at)}</>;
/** A time to come, such as `in 18 minutes`. */
export const renderUpcoming = (at: number, now: number): Html => renderTime(at, "ago", formatUpcoming(at, now));

export const renderDay = (at: number): Html => renderTime(at, "day", days.format(at));

/** A date without a time is not converted between time zones. */
export const renderEventTime = (at: number, isDay: boolean, written?: string): Html =>
  isDay ? (
    <time datetime={new Date(at).toISOString().slice(0, 10)}>{shortDays.format(at)}</time>
  ) : (
    renderTime(at, "short", `${shortDays.format(at)}, ${shortTimes.format(at)}`, written)
  );

/** A local time such as `2026-10-28 08:50 +01:00`, or a date. The script doesn't convert it. */
export function renderLocalTime(local: string, written: string): Html {
  const [date = "", time, offset] = local.split(" ");
  const day = shortDays.format(Date.parse(date));
  return time === undefined ? (
    <time datetime={date}>{day}</time>
  ) : (
    <time datetime={`${date}T${time}${offset}`} title={written}>
      {day}, {time} <span data-offset={offset}>{offset}</span>
    </time>
  );
}

const months = createUtcFormat({ month: "short", year: "numeric" });

/** The label of a bar. */
export const formatMonth = (at: number): string => months.format(at);

export const formatDayHeading = (at: number): string => weekdays.format(at);
export const renderMinute = (at: number): Html => renderTime(at, "minute", shortTimes.format(at));
