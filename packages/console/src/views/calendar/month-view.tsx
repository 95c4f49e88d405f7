import type { Html } from "../../frame/frame.tsx";
import { formatNumber } from "../../frame/render/values.tsx";
import { formatDayName, formatWeekday } from "./days.ts";
import { renderEventItem, type Surroundings } from "./event-item.tsx";
import { type CalendarEvent, getFirstDay } from "./layout.ts";

/** Days in a grid of weeks, which is an agenda where there is no room for one. */

interface DayList extends Surroundings {
  readonly label: string;
  readonly days: readonly string[];
  readonly groups: ReadonlyMap<string, readonly CalendarEvent[]>;
  /** The month; its other days are dimmed. Undefined for a week. */
  readonly month: string | undefined;
  readonly today: string;
}

const maxPerDay = 6;

export const renderMonth = (list: DayList): Html => (
  <>
    <div class="weekdays" aria-hidden="true">
      {list.days.slice(0, 7).map((day) => (
        <span>{formatWeekday(day)}</span>
      ))}
    </div>
    {renderDays(list, "month-days")}
  </>
);

/** `className`: `month-days` becomes a grid where there is room; `agenda` never does. */
export const renderDays = (list: DayList, className: "month-days" | "agenda"): Html => (
  <ol class={`calendar-days ${className}`} aria-label={list.label}>
    {list.days.map((day) => renderDayCell(list, day))}
  </ol>
);

function renderDayCell(list: DayList, day: string): Html {
  const events = list.groups.get(day) ?? [];
  const isOutside = list.month !== undefined && !day.startsWith(list.month);
  const isToday = day === list.today;
  const name = (
    <a href={`day/${day}`} aria-current={isToday ? "date" : undefined}>
      <span class="in-grid" aria-hidden="true">
        {Number(day.slice(8))}
      </span>
      <span class="in-agenda">{formatDayName(day)}</span>
      {isToday && <span class="in-agenda"> (today)</span>}
    </a>
  );
  // The agenda lists an event of several days once: when it begins, or on the first day shown.
  const first = list.month === undefined ? list.days[0] : `${list.month}-01`;
  const isFirst = day === first;
  const isQuiet = !isFirst && events.every((event) => getFirstDay(event, list.zone) < day);
  const classes = [
    "calendar-day",
    isOutside ? "outside" : "",
    isToday ? "today" : "",
    isFirst ? "first" : "",
    events.length === 0 || isQuiet ? "empty" : "",
  ];
  const more = events.length - maxPerDay;
  return (
    <li class={classes.filter((each) => each !== "").join(" ")}>
      {events.length === 0 ? <p class="day-name">{name}</p> : <h2 class="day-name">{name}</h2>}
      {events.length > 0 && (
        <ul>
          {events.slice(0, maxPerDay).map((event) => renderEventItem(event, day, list))}
          {more > 0 && (
            <li>
              <a class="event-rest" href={`day/${day}`}>
                {formatNumber(more)} more
              </a>
            </li>
          )}
        </ul>
      )}
    </li>
  );
}
