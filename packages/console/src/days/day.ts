import { PdppError } from "@pdpp/contract/errors";
import type { Day } from "@pdpp/language/dates/time-span";
import type { Context } from "hono";
import { readText } from "../explore/request.ts";
import type { Viewpoint } from "../explore/viewpoint.tsx";
import { buildUrl } from "../frame/addresses.ts";
import { startWaiting } from "../frame/background-cache.ts";
import { buildPageHeaders } from "../frame/frame.tsx";
import type { Viewer } from "../frame/viewer.ts";
import { getYearStart, listDays, parseDay, toDay } from "./calendar.ts";
import { type CountedView, type DayCounter, type DayCounts, sumCounts } from "./day-counts.ts";
import { type KindChip, renderDayPage } from "./day-page.tsx";
import { type DayRecords, loadDayRecords } from "./day-records.ts";
import { groupItems } from "./entries.ts";
import { getKindKey, getKindLabel } from "./kinds.ts";
import { findNeighbours } from "./neighbours.ts";
import { loadThreadTitles } from "./thread-titles.ts";
import { listTimedStreams, type TimedStream } from "./timed-streams.ts";

/** The pages of days. */

export const createCountedView = ({ reader, timeZone, viewKey, impersonatedGrant }: Viewpoint): CountedView => ({
  reader,
  zone: timeZone,
  key: viewKey,
  canBeOutdated: impersonatedGrant === undefined,
  waited: startWaiting(),
});

/** Redirects to the chosen date, else to today or the newest day before it that has records. */
export async function respondWithNewestDay(c: Context, viewpoint: Viewpoint, now: number): Promise<Response> {
  const kind = readText(c, "kind");
  const chosen = readText(c, "date");
  const today = toDay(now, viewpoint.timeZone);
  const day = chosen === undefined ? await findNewestDay(viewpoint, today) : parseDay(chosen);
  if (day === undefined) throw createNoDayError();
  return c.redirect(buildUrl(`day/${day}`, { kind }), 303);
}

async function findNewestDay({ reader, names, timeZone }: Viewpoint, today: Day): Promise<Day> {
  const streams = await listTimedStreams(reader, names);
  const tomorrow = today.add({ days: 1 });
  return (await findNeighbours(reader, streams, undefined, tomorrow, timeZone)).previous ?? today;
}

const createNoDayError = (): PdppError => new PdppError("not_found", "there is no such day. Write it as 2026-10-28");

export async function respondWithDay(
  c: Context,
  viewpoint: Viewpoint,
  viewer: Viewer,
  counter: DayCounter,
  now: number,
): Promise<Response> {
  const { reader, names, timeZone: zone, impersonatedGrant } = viewpoint;
  const day = parseDay(c.req.param("day") ?? "");
  if (day === undefined) throw createNoDayError();
  const kind = readText(c, "kind");
  const all = await listTimedStreams(reader, names);
  const chosen = kind === undefined ? all : all.filter((stream) => getKindKey(stream) === kind);
  const view = createCountedView(viewpoint);
  const year = await counter.countYear(view, all, getYearStart(day));
  const yearBefore = await counter.countYear(view, chosen, getYearStart(day).subtract({ years: 1 }));
  const getCount = (stream: TimedStream) =>
    year.outdated.has(stream) ? undefined : year.streams.get(stream)?.get(day.toString());
  const records = await loadDayRecords(reader, selectStreams(all, year, day), day, zone, getCount);
  const shown = kind === undefined ? records : selectKind(records, kind);
  const entries = groupItems(shown.items);
  const counts = sumCounts(chosen.flatMap((stream) => year.streams.get(stream) ?? []));
  const isCounting = year.isCounting || yearBefore.isCounting;
  const neighbours = await findNeighbours(reader, chosen, year.isCounting ? undefined : counts, day, zone);
  const page = renderDayPage({
    day,
    zone,
    today: toDay(now, zone),
    names,
    kind,
    kinds: listKinds(viewpoint, records),
    records: shown,
    entries,
    threadTitles: await loadThreadTitles(reader, names, entries),
    strip: { days: listDays(getYearStart(day), getYearStart(day).add({ years: 1 })), counts, isCounting },
    neighbours,
    around: listAround(day, sumCounts([counts, yearBefore.days])),
    viewer,
    impersonatedGrant,
  });
  return c.html(page, 200, buildPageHeaders(undefined, isCounting ? "is live" : undefined));
}

/** Streams that were counted and have nothing on that day, nor beside it, are not read. */
function selectStreams(all: readonly TimedStream[], { streams, outdated }: DayCounts, day: Day): TimedStream[] {
  const near = [-1, 0, 1].map((step) => day.add({ days: step }).toString());
  return all.filter((stream) => {
    const counts = streams.get(stream);
    return counts === undefined || outdated.has(stream) || near.some((key) => counts.has(key));
  });
}

function selectKind({ items, cut }: DayRecords, kind: string): DayRecords {
  return {
    items: items.filter(({ stream }) => getKindKey(stream) === kind),
    cut: cut.filter(({ stream }) => getKindKey(stream) === kind),
  };
}

function listKinds({ names }: Viewpoint, { items, cut }: DayRecords): KindChip[] {
  const counts = new Map<TimedStream, number>();
  for (const { stream } of items) counts.set(stream, (counts.get(stream) ?? 0) + 1);
  for (const { stream, more } of cut) counts.set(stream, (counts.get(stream) ?? 0) + more);
  return [...Map.groupBy(counts.keys(), getKindKey)]
    .map(([key, streams]) => ({
      key,
      label: getKindLabel(names, streams),
      count: streams.reduce((sum, stream) => sum + (counts.get(stream) ?? 0), 0),
    }))
    .sort((a, b) => b.count - a.count);
}

/** The same date a month and a year before, and a month after. */
function listAround(day: Day, counts: ReadonlyMap<string, number>) {
  const others = [day.subtract({ months: 1 }), day.add({ months: 1 }), day.subtract({ years: 1 })];
  return others.flatMap((other) => {
    const count = counts.get(other.toString()) ?? 0;
    return count === 0 ? [] : [{ day: other, count }];
  });
}
