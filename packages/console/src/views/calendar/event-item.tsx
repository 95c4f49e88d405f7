import type { Html } from "../../frame/frame.tsx";
import type { Names } from "../../frame/names.ts";
import { renderText } from "../../frame/render/values.tsx";
import { getOpenUrl } from "../kind-views.ts";
import { formatClock, formatShortDay, getLocalMinutes } from "./days.ts";
import { type CalendarEvent, getFirstDay, getLastDay } from "./layout.ts";

/** One event in a list or a grid. */

export interface Surroundings {
  readonly names: Names;
  readonly zone: string;
  /** Events of several sources are marked with the colour and the name of theirs. */
  readonly hasSources: boolean;
}

export const getEventUrl = (names: Names, { id, source, stream }: CalendarEvent): string =>
  getOpenUrl(names, { id, connection_id: source, stream });

export const renderEventTitle = ({ title, isCancelled }: CalendarEvent): Html =>
  isCancelled ? (
    <>
      <s>{renderText(title)}</s> <span class="cancelled">cancelled</span>
    </>
  ) : (
    renderText(title)
  );

/** The time on that day; an event of several days says when it ends. */
export function describeTime(event: CalendarEvent, day: string, zone: string): string {
  const [first, last] = [getFirstDay(event, zone), getLastDay(event, zone)];
  if (event.isAllDay) return first === last ? "All day" : `until ${formatShortDay(last)}`;
  if (first === day) return formatClock(getLocalMinutes(event.start, zone));
  return `until ${last > day ? formatShortDay(last) : formatClock(getLocalMinutes(event.end, zone))}`;
}

export function renderEventItem(event: CalendarEvent, day: string, { names, zone, hasSources }: Surroundings): Html {
  const isContinuing = getFirstDay(event, zone) < day;
  const classes = ["event", event.isAllDay || isContinuing ? "all-day" : "", isContinuing ? "continuing" : ""];
  const { title, place, recurrence } = event;
  return (
    <li class={classes.filter((each) => each !== "").join(" ")}>
      <a href={getEventUrl(names, event)} title={title}>
        <span class="event-when">{describeTime(event, day, zone)}</span>{" "}
        <span class="event-what">{renderEventTitle(event)}</span>
      </a>
      <span class="event-more soft">
        {place !== undefined && <>{renderText(place)} </>}
        {recurrence !== undefined && <>· {recurrence} </>}
        {hasSources && <>· {renderText(names.source(event.source))}</>}
      </span>
    </li>
  );
}
