import type { Context } from "hono";
import type { Viewpoint } from "../../explore/viewpoint.tsx";
import { buildPageHeaders } from "../../frame/frame.tsx";
import type { Viewer } from "../../frame/viewer.ts";
import { renderCalendarPage } from "./calendar-page.tsx";
import { listShownDays, parseCalendarQuestion } from "./calendar-question.ts";
import { addDays, getLocalDay } from "./days.ts";
import { groupByDay } from "./layout.ts";
import { findNeighbours, listEventStreams, loadEvents } from "./load-events.ts";

/** The events of all sources, or of one, by month or week. */
export async function respondWithCalendar(
  c: Context,
  viewpoint: Viewpoint,
  viewer: Viewer,
  now: number,
): Promise<Response> {
  const { reader, names, impersonatedGrant, timeZone: zone } = viewpoint;
  const today = getLocalDay(now, zone);
  const question = parseCalendarQuestion(c, today);
  const days = listShownDays(question);
  const span = { first: days[0] ?? today, after: addDays(days.at(-1) ?? today, 1), zone };
  const streams = listEventStreams(names);
  const shown = listEventStreams(names, question.source, question.stream);
  const { events, total } = await loadEvents(reader, shown, span);
  // A month also shows days of its neighbours, whose events are not its own.
  const own = question.view === "month" ? days.filter((day) => day.startsWith(question.at)) : days;
  const groups = groupByDay(events, days, zone);
  const hasEvents = own.some((day) => groups.get(day)?.length);
  const ownSpan = { first: own[0] ?? today, after: addDays(own.at(-1) ?? today, 1), zone };
  const neighbours = hasEvents ? { before: undefined, after: undefined } : await findNeighbours(reader, shown, ownSpan);
  const view = {
    question,
    days,
    events,
    groups,
    total,
    neighbours,
    streams,
    today,
    zone,
    names,
    viewer,
    impersonatedGrant,
  };
  return c.html(renderCalendarPage(view), 200, buildPageHeaders());
}
