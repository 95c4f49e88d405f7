import { parseHandle } from "@pdpp/evidence/handles/handle";
import type { Context } from "hono";
import { createCountedView } from "../../days/day.ts";
import { readText, toReadInput } from "../../explore/request.ts";
import type { Viewpoint } from "../../explore/viewpoint.tsx";
import { getRecordUrl } from "../../frame/addresses.ts";
import { buildPageHeaders } from "../../frame/frame.tsx";
import type { Viewer } from "../../frame/viewer.ts";
import { createProjection, findBounds, world } from "../geography/projection.ts";
import { type MonthCounter, type MonthCounts, type MonthlyStream, sumMonths, undatedMonth } from "../month-counts.ts";
import { getMonthRange, parseMonth, toMonth } from "../months.ts";
import { clusterPlaces } from "./cluster.ts";
import { type Located, loadLocated, toLocated } from "./located.ts";
import { isTimed, listPlaceStreams, type PlaceStream } from "./place-streams.ts";
import type { PlacesQuestion } from "./place-urls.ts";
import { renderNoCoordinatesPage, renderPlacesPage } from "./places-page.tsx";
import type { UndatedLoader } from "./undated.ts";

/** Tracks and places on an outline of the world. */

const [maxTracks, maxPlaces] = [30, 100];
const mapSize = { width: 648, height: 400 };

interface PlaceCounters {
  readonly months: MonthCounter;
  readonly undated: UndatedLoader;
}

export async function respondWithPlaces(
  c: Context,
  viewpoint: Viewpoint,
  viewer: Viewer,
  counters: PlaceCounters,
): Promise<Response> {
  const { reader, names, timeZone: zone, impersonatedGrant } = viewpoint;
  const declared = await listPlaceStreams(reader, names);
  const [all, withheld] = [declared.filter(hasCoordinates), declared.filter((stream) => !hasCoordinates(stream))];
  const id = readText(c, "id");
  const chosen = await loadChosen(viewpoint, all, id);
  // Without a position there is nothing to draw.
  if (id !== undefined && (chosen === undefined || chosen.points.length === 0))
    return c.redirect(getRecordUrl(id), 303);
  if (all.length === 0 && withheld.length > 0)
    return c.html(renderNoCoordinatesPage({ withheld, names, viewer, impersonatedGrant }), 200, buildPageHeaders());
  const question = readQuestion(c, all, chosen, zone);
  const streams = all.filter(
    ({ kind, connection, declaration: { name } }) =>
      kind === (question.show === "tracks" ? "track" : "place") &&
      (question.source === undefined || connection === question.source) &&
      (question.stream === undefined || name === question.stream),
  );
  const counts = await counters.months.count(createCountedView(viewpoint), all.filter(isTimed));
  const found = await loadFound(viewpoint, streams, counts, counters.undated, question);
  const shown = chosen ?? (await loadFirst(viewpoint, question, found.shown));
  const others = found.shown.filter((each) => each.id !== shown?.id);
  const bounds = findBounds(shown?.points.length ? shown.points : found.shown.flatMap(({ points }) => points)) ?? world;
  const projection = createProjection(bounds, mapSize);
  const page = renderPlacesPage({
    question,
    found: found.shown,
    chosen: shown,
    others,
    projection,
    clusters: question.show === "places" ? clusterPlaces(others, projection) : [],
    months: sumMonths(selectCounts(counts, streams)),
    undatedCount: countUndated(counts, streams),
    isUndatedCut: found.isUndatedCut,
    totals: { tracks: countKind(counts, all, "track"), places: countKind(counts, all, "place") },
    isCounting: counts.isCounting,
    withheld,
    streams,
    names,
    zone,
    viewer,
    impersonatedGrant,
  });
  return c.html(page, 200, buildPageHeaders());
}

const hasCoordinates = (stream: PlaceStream): boolean => stream.hasCoordinates;

interface Found {
  readonly shown: readonly Located[];
  /** There are more without a date. */
  readonly isUndatedCut: boolean;
}

async function loadFound(
  viewpoint: Viewpoint,
  streams: readonly PlaceStream[],
  counts: MonthCounts,
  loader: UndatedLoader,
  { month, show }: PlacesQuestion,
): Promise<Found> {
  const { reader, timeZone: zone } = viewpoint;
  const limit = show === "tracks" ? maxTracks : maxPlaces;
  const range = month === undefined || month === undatedMonth ? undefined : getMonthRange(month, zone);
  const dated =
    month === undatedMonth
      ? []
      : (await loadLocated(reader, streams.filter(isTimed), { range, limit })).filter(({ at }) => at !== undefined);
  const shown = dated.slice(0, limit);
  const wantsUndated = month === undatedMonth || (month === undefined && dated.length < limit);
  if (!wantsUndated) return { shown, isUndatedCut: false };
  const loaded = await Promise.all(
    streams.map(async (stream) =>
      isTimed(stream)
        ? ((await loader.load(createCountedView(viewpoint), stream, countWithoutDate(counts, stream))) ?? [])
        : await loadLocated(reader, [stream], { limit }),
    ),
  );
  const undated = loaded.flat().slice(0, limit);
  return { shown: [...shown, ...undated], isUndatedCut: undated.length < countUndated(counts, streams) };
}

/** The newest track, with what only a chosen one needs. */
async function loadFirst(
  viewpoint: Viewpoint,
  { show }: PlacesQuestion,
  found: readonly Located[],
): Promise<Located | undefined> {
  if (show !== "tracks") return undefined;
  const first = found.find(({ points, isScattered }) => points.length > 1 && !isScattered);
  return first && ((await loadChosen(viewpoint, [first.stream], first.id)) ?? first);
}

function readQuestion(
  c: Context,
  all: readonly PlaceStream[],
  chosen: Located | undefined,
  zone: string,
): PlacesQuestion {
  const asked = chosen === undefined ? readText(c, "show") : chosen.stream.kind === "place" ? "places" : "tracks";
  const hasTracks = all.some(({ kind }) => kind === "track");
  const month = readText(c, "month") === undatedMonth ? undatedMonth : parseMonth(readText(c, "month"));
  return {
    source: readText(c, "source"),
    stream: readText(c, "stream"),
    month:
      month ?? (chosen === undefined ? undefined : chosen.at === undefined ? undatedMonth : toMonth(chosen.at, zone)),
    show: asked === "places" || (asked === undefined && !hasTracks) ? "places" : "tracks",
    id: chosen?.id,
  };
}

async function loadChosen(
  { reader }: Viewpoint,
  all: readonly PlaceStream[],
  id: string | undefined,
): Promise<Located | undefined> {
  const place = id === undefined ? null : parseHandle(id);
  const stream = all.find(
    ({ connection, declaration: { name } }) => connection === place?.connectionId && name === place.stream,
  );
  if (place === null || stream === undefined) return undefined;
  const record = await reader.fetch({ ...toReadInput(place), fields: [...stream.fields] });
  return record.object === "record" ? toLocated(stream, place.recordId, record.data) : undefined;
}

const selectCounts = (counts: MonthCounts, streams: readonly PlaceStream[]): Pick<MonthCounts, "streams"> => ({
  streams: new Map([...counts.streams].filter(([each]) => streams.some((stream) => stream === each))),
});

const countWithoutDate = ({ streams }: MonthCounts, stream: MonthlyStream): number =>
  streams.get(stream)?.get(undatedMonth) ?? 0;

const countUndated = (counts: MonthCounts, streams: readonly PlaceStream[]): number =>
  streams.reduce((sum, stream) => sum + (isTimed(stream) ? countWithoutDate(counts, stream) : stream.recordCount), 0);

function countKind(counts: MonthCounts, all: readonly PlaceStream[], kind: PlaceStream["kind"]): number {
  const streams = all.filter((stream) => stream.kind === kind);
  const dated = sumMonths(selectCounts(counts, streams)).reduce((sum, { count }) => sum + count, 0);
  return dated + countUndated(counts, streams);
}
