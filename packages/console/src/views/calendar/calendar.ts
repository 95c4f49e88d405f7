import type { ReadApi } from "@pdpp/contract/operations";
import type { Context } from "hono";
import type { Viewpoint } from "../../explore/viewpoint.tsx";
import { buildPageHeaders } from "../../frame/frame.tsx";
import type { Viewer } from "../../frame/viewer.ts";
import { type CalendarView, renderCalendarPage } from "./calendar-page.tsx";
import {
  type CalendarQuestion,
  listShownDays,
  namesDays,
  parseCalendarQuestion,
  showDay,
} from "./calendar-question.ts";
import { addDays, getLocalDay } from "./days.ts";
import { groupByDay } from "./layout.ts";
import { type EventStream, findNeighbours, listEventStreams, loadEvents, type Neighbours } from "./load-events.ts";

type LoadedCalendar = Pick<CalendarView, "question" | "days" | "events" | "groups" | "total" | "neighbours">;

async function loadCalendar(
  reader: ReadApi,
  streams: readonly EventStream[],
  question: CalendarQuestion,
  zone: string,
): Promise<LoadedCalendar> {
  const days = listShownDays(question);
  const { events, total } = await loadEvents(reader, streams, getSpan(days, zone));
  // A month also shows days of its neighbours, whose events are not its own.
  const own = question.view === "month" ? days.filter((day) => day.startsWith(question.at)) : days;
  const groups = groupByDay(events, days, zone);
  const hasEvents = own.some((day) => groups.get(day)?.length);
  const neighbours = hasEvents
    ? { before: undefined, after: undefined }
    : await findNeighbours(reader, streams, getSpan(own, zone));
  return { question, days, events, groups, total, neighbours };
}

const getSpan = (days: readonly string[], zone: string) => {
  const last = days.at(-1) ?? "";
  return { first: days[0] ?? last, after: addDays(last, 1), zone };
};

/** The day with events that is nearest to today. */
function findNearest({ before, after }: Neighbours, today: string): string | undefined {
  if (before === undefined || after === undefined) return before ?? after;
  const now = Date.parse(today);
  return now - Date.parse(before) <= Date.parse(after) - now ? before : after;
}

/** The events of all sources, or of one, by month or week. Without a date, the nearest month that has events. */
export async function respondWithCalendar(
  c: Context,
  viewpoint: Viewpoint,
  viewer: Viewer,
  now: number,
): Promise<Response> {
  const { reader, names, impersonatedGrant, timeZone: zone } = viewpoint;
  const today = getLocalDay(now, zone);
  const asked = parseCalendarQuestion(c, today);
  const streams = listEventStreams(names);
  const shown = listEventStreams(names, asked.source, asked.stream);
  const first = await loadCalendar(reader, shown, asked, zone);
  const nearest = namesDays(c) ? undefined : findNearest(first.neighbours, today);
  const loaded = nearest === undefined ? first : await loadCalendar(reader, shown, showDay(asked, nearest), zone);
  const view = {
    ...loaded,
    quiet: nearest === undefined ? undefined : asked,
    streams,
    today,
    zone,
    names,
    viewer,
    impersonatedGrant,
  };
  return c.html(renderCalendarPage(view), 200, buildPageHeaders());
}
