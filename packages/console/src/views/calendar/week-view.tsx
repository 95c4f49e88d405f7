import type { Html } from "../../frame/frame.tsx";
import { formatNumber } from "../../frame/render/values.tsx";
import { formatClock, formatDayName, formatWeekday } from "./days.ts";
import { describeTime, getEventUrl, renderEventTitle, type Surroundings } from "./event-item.tsx";
import { type CalendarEvent, getFirstDay, type PlacedEvent, placeInDay } from "./layout.ts";

/** A week as columns of hours. Positions are SVG attributes, because pages have no inline styles. */

interface Week extends Surroundings {
  readonly days: readonly string[];
  readonly groups: ReadonlyMap<string, readonly CalendarEvent[]>;
  readonly today: string;
}

/** An event of one hour has room for its times and two lines. */
const hourHeight = 60;
/** Shown even if nothing happens then. */
const [dayBegins, dayEnds] = [8, 18];
const [maxAllDay, maxTimed] = [4, 24];

export function renderWeek(week: Week): Html {
  const placed = new Map(
    week.days.map((day) => [day, placeInDay((week.groups.get(day) ?? []).slice(0, maxTimed), day, week.zone)]),
  );
  const all = [...placed.values()].flat();
  const first = Math.min(dayBegins, ...all.map(({ from }) => Math.floor(from / 60)));
  const last = Math.max(dayEnds, ...all.map(({ to }) => Math.ceil(to / 60)));
  const hours = Array.from({ length: last - first }, (_, i) => first + i);
  const height = hours.length * hourHeight;
  return (
    <div class="week-grid">
      <div class="gutter" aria-hidden="true">
        <svg class="week-hours" aria-hidden="true" width="48" height={height}>
          {hours.map((hour, i) => (
            <text x="0" y={i * hourHeight + 14}>
              {formatClock(hour * 60)}
            </text>
          ))}
        </svg>
      </div>
      {week.days.map((day) => renderDayColumn(week, day, placed.get(day) ?? [], { first, height, hours }))}
    </div>
  );
}

interface Scale {
  readonly first: number;
  readonly height: number;
  readonly hours: readonly number[];
}

function renderDayColumn(week: Week, day: string, placed: readonly PlacedEvent[], scale: Scale): Html {
  const events = week.groups.get(day) ?? [];
  const allDay = events.filter(({ isAllDay }) => isAllDay);
  const hidden = Math.max(0, allDay.length - maxAllDay) + Math.max(0, events.length - maxTimed);
  return (
    <section class={day === week.today ? "week-day today" : "week-day"} aria-label={formatDayName(day)}>
      <h2 class="day-name">
        <a href={`day/${day}`} aria-current={day === week.today ? "date" : undefined}>
          {formatWeekday(day)} {Number(day.slice(8))}
        </a>
      </h2>
      <ul class="whole-days">
        {allDay.slice(0, maxAllDay).map((event) => (
          <li>
            <a href={getEventUrl(week.names, event)}>{renderEventTitle(event)}</a>
          </li>
        ))}
        {hidden > 0 && (
          <li>
            <a class="event-rest" href={`day/${day}`}>
              {formatNumber(hidden)} more
            </a>
          </li>
        )}
      </ul>
      <svg class="week-hours" role="presentation" width="100%" height={scale.height}>
        {scale.hours.map((_, i) => (
          <line x1="0" x2="100%" y1={i * hourHeight + 0.5} y2={i * hourHeight + 0.5} />
        ))}
        {placed.map((each) => renderSlot(week, day, each, scale))}
      </svg>
    </section>
  );
}

function renderSlot(week: Week, day: string, { event, from, to, lane, lanes }: PlacedEvent, { first }: Scale): Html {
  const toPixels = (minutes: number): number => Math.round((minutes / 60 - first) * hourHeight);
  const toPercent = (part: number): string => `${((100 * part) / lanes).toFixed(2)}%`;
  const { place, recurrence } = event;
  const isShort = to - from < 50;
  // Where there is little room, the title matters more than the end.
  const isOpen = isShort || lanes > 1 || getFirstDay(event, week.zone) < day || event.end === event.start;
  const end = isOpen ? "" : `–${formatClock(to % 1440)}`;
  const words = [`${event.title}`, place ?? "", recurrence ?? ""].filter((each) => each !== "").join(" · ");
  return (
    <foreignObject x={toPercent(lane)} y={toPixels(from)} width={toPercent(1)} height={toPixels(to) - toPixels(from)}>
      <a class={isShort ? "slot short" : "slot"} href={getEventUrl(week.names, event)} title={words}>
        <span class="event-when">
          {describeTime(event, day, week.zone)}
          {end}
        </span>{" "}
        <span class="event-what">{renderEventTitle(event)}</span>
      </a>
    </foreignObject>
  );
}
