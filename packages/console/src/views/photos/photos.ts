import type { Context } from "hono";
import { createCountedView } from "../../days/day.ts";
import { readNumber, readText } from "../../explore/request.ts";
import type { Viewpoint } from "../../explore/viewpoint.tsx";
import { buildPageHeaders } from "../../frame/frame.tsx";
import type { Viewer } from "../../frame/viewer.ts";
import { type MonthCounter, type MonthCounts, sumMonths, undatedMonth } from "../month-counts.ts";
import { parseMonth } from "../months.ts";
import { groupByMonth, loadMonth, loadOverview, loadUndatedPage, maxPerStream } from "./grid.ts";
import type { PhotosQuestion } from "./photo-urls.ts";
import { renderPhotosPage, type SourceChip } from "./photos-page.tsx";
import { listPictureStreams, type PictureStream } from "./picture-streams.ts";
import { loadPictures } from "./pictures.ts";
import type { UndatedFinder } from "./undated.ts";

/** All pictures, by month. */

export function readPhotosQuestion(c: Context): PhotosQuestion {
  const [source, stream] = [readText(c, "source"), readText(c, "stream")];
  const at = parseMonth(readText(c, "at"));
  if (readText(c, "month") === undatedMonth)
    return { source, stream, at, month: undatedMonth, page: Math.max(1, readNumber(c, "page") ?? 1) };
  const month = parseMonth(readText(c, "month"));
  return { source, stream, at, month, before: month === undefined ? undefined : readNumber(c, "before") };
}

export const selectStreams = (all: readonly PictureStream[], { source, stream }: PhotosQuestion): PictureStream[] =>
  all.filter(
    ({ connection, declaration: { name } }) =>
      (source === undefined || connection === source) && (stream === undefined || name === stream),
  );

export interface PictureCounters {
  readonly months: MonthCounter;
  readonly undated: UndatedFinder;
}

export async function respondWithPhotos(
  c: Context,
  viewpoint: Viewpoint,
  viewer: Viewer,
  { months: counter, undated: finder }: PictureCounters,
): Promise<Response> {
  const { reader, names, timeZone: zone, impersonatedGrant } = viewpoint;
  const question = readPhotosQuestion(c);
  const all = await listPictureStreams(reader, names);
  const view = createCountedView(viewpoint);
  const counts = await counter.count(view, all);
  const streams = selectStreams(all, question);
  const chosen = selectCounts(counts, streams);
  const known = sumMonths(chosen);
  const undated = await finder.find(view, chosen);
  const isCounting = counts.isCounting || undated.isSearching;
  const { months, next } =
    question.month === undatedMonth
      ? await loadUndatedPage(viewpoint, undated, question)
      : question.month !== undefined
        ? await loadMonth(viewpoint, streams, question, known.find(({ month }) => month === question.month)?.count)
        : counts.isCounting
          ? { months: groupByMonth(await loadPictures(reader, streams, {}, maxPerStream), zone), next: undefined }
          : await loadOverview(viewpoint, chosen, undated, question);
  const page = renderPhotosPage({
    question,
    months,
    next,
    known,
    chips: listChips(viewpoint, all, counts),
    total: known.reduce((sum, { count }) => sum + count, 0),
    undated,
    isCounting,
    names,
    viewer,
    impersonatedGrant,
  });
  return c.html(page, 200, buildPageHeaders(undefined, isCounting ? "is live" : undefined));
}

const selectCounts = ({ isCounting, streams }: MonthCounts, chosen: readonly PictureStream[]): MonthCounts => ({
  isCounting,
  streams: new Map([...streams].filter(([stream]) => chosen.includes(stream))),
});

function listChips({ names }: Viewpoint, all: readonly PictureStream[], { streams }: MonthCounts): SourceChip[] {
  const sources = new Map<string, number | undefined>();
  for (const stream of all) {
    const counts = streams.get(stream);
    const count = counts && [...counts.values()].reduce((sum, each) => sum + each, 0);
    if (count === 0) continue;
    const held = sources.get(stream.connection);
    sources.set(stream.connection, count === undefined ? held : (held ?? 0) + count);
  }
  return [...sources]
    .map(([source, count]) => ({ source, label: names.source(source), count }))
    .sort((a, b) => (b.count ?? 0) - (a.count ?? 0));
}
