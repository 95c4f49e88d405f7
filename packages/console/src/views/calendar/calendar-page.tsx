import { type Html, type ImpersonatedGrant, renderPage } from "../../frame/frame.tsx";
import type { Names } from "../../frame/names.ts";
import { formatCount, formatNumber, renderText } from "../../frame/render/values.tsx";
import type { Viewer } from "../../frame/viewer.ts";
import { type CalendarQuestion, getCalendarUrl, moveBy, showDay, switchView } from "./calendar-question.ts";
import { addDays, formatLongDay, formatMonthName, formatShortDay } from "./days.ts";
import { getEventUrl } from "./event-item.tsx";
import type { CalendarEvent } from "./layout.ts";
import type { EventStream, Neighbours } from "./load-events.ts";
import { renderDays, renderMonth } from "./month-view.tsx";
import { renderWeek } from "./week-view.tsx";

export interface CalendarView {
  readonly question: CalendarQuestion;
  readonly days: readonly string[];
  readonly events: readonly CalendarEvent[];
  readonly groups: ReadonlyMap<string, readonly CalendarEvent[]>;
  /** All events of these days, if not all are shown. */
  readonly total: number | undefined;
  /** Days with events before and after, if there are none on these. */
  readonly neighbours: Neighbours;
  /** The period that was requested, before the nearest one with events was chosen. */
  readonly quiet: CalendarQuestion | undefined;
  /** All streams of events that can be chosen. */
  readonly streams: readonly EventStream[];
  readonly today: string;
  readonly zone: string;
  readonly names: Names;
  readonly viewer: Viewer;
  readonly impersonatedGrant: ImpersonatedGrant | undefined;
}

export function renderCalendarPage(view: CalendarView): Html {
  const { question, days, groups, zone, today, names } = view;
  const title = describeSpan(question);
  const hasSources = new Set(view.events.map(({ source }) => source)).size > 1;
  const month = question.view === "month" ? question.at : undefined;
  const own = days.filter((day) => month === undefined || day.startsWith(month));
  const count = new Set(own.flatMap((day) => groups.get(day) ?? [])).size;
  const list = { label: title, days, groups, month, today, names, zone, hasSources };
  const body = (
    <>
      <div class="calendar-head">
        <h1>{title}</h1>
        {renderSteps(question, today)}
      </div>
      <p class="soft">
        {count === 0 ? "No events" : formatCount(view.total ?? count, "event")}
        {view.total !== undefined && `, the first ${formatNumber(view.events.length)} shown`}
      </p>
      {view.quiet !== undefined && (
        <p class="done" role="status">
          No events in {describeSpan(view.quiet)}. This is the nearest month with events.
        </p>
      )}
      {renderChoices(view)}
      {view.streams.length === 0 ? renderNoCalendar(view) : renderNeighbours(view)}
      {question.view === "month" ? (
        renderMonth(list)
      ) : (
        <>
          {renderWeek(list)}
          {renderDays(list, "agenda")}
        </>
      )}
      {renderRepeating(view)}
    </>
  );
  return renderPage(`${title}: calendar`, body, {
    owner: { room: "/calendar", viewer: view.viewer, impersonatedGrant: view.impersonatedGrant },
    isWide: true,
    timeZone: zone,
  });
}

function describeSpan({ view, at }: CalendarQuestion): string {
  if (view === "month") return formatMonthName(`${at}-01`);
  const last = addDays(at, 6);
  const first = at.slice(0, 7) === last.slice(0, 7) ? String(Number(at.slice(8))) : formatShortDay(at);
  return `${first} to ${formatLongDay(last)}`;
}

function renderSteps(question: CalendarQuestion, today: string): Html {
  const unit = question.view;
  const other = unit === "month" ? "Week" : "Month";
  return (
    <nav class="date-steps" aria-label="Dates">
      <a rel="prev" href={getCalendarUrl(moveBy(question, -1))}>
        <span aria-hidden="true">←</span> <span class="hidden">Previous {unit}</span>
      </a>
      <a href={getCalendarUrl(showDay(question, today))}>Today</a>
      <a rel="next" href={getCalendarUrl(moveBy(question, 1))}>
        <span aria-hidden="true">→</span> <span class="hidden">Next {unit}</span>
      </a>
      <a href={getCalendarUrl(switchView(question, today))}>{other}</a>
    </nav>
  );
}

/** Links to each calendar, if there are several. */
function renderChoices({ question, streams, names }: CalendarView): Html {
  if (streams.length < 2) return <></>;
  const renderChoice = (label: Html | string, source: string | undefined, stream: string | undefined): Html => (
    <a
      href={getCalendarUrl({ ...question, source, stream })}
      aria-current={
        question.source === source && (stream === question.stream || question.stream === undefined) ? "true" : undefined
      }
    >
      {label}
    </a>
  );
  const repeated = new Set(streams.map(({ source }) => source)).size < streams.length;
  return (
    <nav class="tabs" aria-label="Calendars">
      {renderChoice("All calendars", undefined, undefined)}
      {streams.map(({ source, declaration: { name } }) =>
        renderChoice(
          <>
            {renderText(names.source(source))}
            {repeated && <> · {renderText(names.stream(source, name))}</>}
          </>,
          source,
          name,
        ),
      )}
    </nav>
  );
}

const renderNoCalendar = ({ impersonatedGrant }: CalendarView): Html => (
  <p>
    {impersonatedGrant === undefined ? (
      <>
        No source has events. <a href="/import">Import a calendar</a>.
      </>
    ) : (
      "This access includes no events."
    )}
  </p>
);

function renderNeighbours({ question, neighbours: { before, after } }: CalendarView): Html {
  const renderLink = (day: string | undefined, words: string): Html =>
    day === undefined ? (
      <></>
    ) : (
      <>
        {" "}
        <a href={getCalendarUrl(showDay(question, day))}>
          {words}: {formatLongDay(day)}
        </a>
      </>
    );
  if (before === undefined && after === undefined) return <></>;
  return (
    <p class="neighbours">
      {renderLink(before, "Previous event")}
      {renderLink(after, "Next event")}
    </p>
  );
}

const maxSeries = 30;

/** Recurring events once, with their rule. */
function renderRepeating({ events, names }: CalendarView): Html {
  const series = new Map<string, CalendarEvent>();
  for (const event of events) {
    if (event.recurrence === undefined) continue;
    const key = JSON.stringify([event.source, event.stream, event.series ?? event.title, event.recurrence]);
    if (!series.has(key)) series.set(key, event);
  }
  if (series.size === 0) return <></>;
  const all = [...series.values()].sort((a, b) => (a.title < b.title ? -1 : 1));
  return (
    <section class="repeating">
      <h2>Recurring</h2>
      <ul>
        {all.slice(0, maxSeries).map((event) => (
          <li>
            <a href={getEventUrl(names, event)}>{renderText(event.title)}</a>{" "}
            <span class="soft">{event.recurrence}</span>
          </li>
        ))}
        {all.length > maxSeries && <li class="soft">and {formatNumber(all.length - maxSeries)} more</li>}
      </ul>
    </section>
  );
}
