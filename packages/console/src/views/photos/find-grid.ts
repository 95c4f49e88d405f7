import { createCountedView } from "../../days/day.ts";
import type { Viewpoint } from "../../explore/viewpoint.tsx";
import { undatedMonth } from "../month-counts.ts";
import { toMonth } from "../months.ts";
import { isOnOverview, loadMonth } from "./grid.ts";
import type { PhotosQuestion } from "./photo-urls.ts";
import type { PictureCounters } from "./photos.ts";
import type { PictureStream } from "./picture-streams.ts";
import type { DatedPicture, Picture } from "./pictures.ts";
import { loadUndated, picturesPerPage } from "./undated.ts";

/** Finds the grid with the tile of a picture: the one it was opened from, unless the owner moved on to a picture that is not in it. */

export interface OpenedPicture {
  readonly viewpoint: Viewpoint;
  readonly streams: readonly PictureStream[];
  readonly counters: PictureCounters;
  readonly question: PhotosQuestion;
}

export async function findGrid(opened: OpenedPicture, picture: DatedPicture): Promise<PhotosQuestion> {
  const { viewpoint, streams, counters, question } = opened;
  const { source, stream } = question;
  const month = toMonth(picture.at, viewpoint.timeZone);
  const hasTile = async (grid: PhotosQuestion): Promise<boolean> => {
    const { months } = await loadMonth(viewpoint, streams, grid, undefined);
    return months.some(({ pictures }) => pictures.some(({ id }) => id === picture.id));
  };
  if (question.month === month && (await hasTile(question))) return question;
  const counts = await counters.months.count(createCountedView(viewpoint), streams);
  const overviews = [...(question.month === undefined ? [question] : []), { source, stream, at: month }];
  for (const overview of overviews) if (await isOnOverview(viewpoint, counts, overview, picture)) return overview;
  const whole = { source, stream, month };
  return (await hasTile(whole)) ? whole : { ...whole, before: Math.ceil(picture.at) };
}

export interface UndatedPlace {
  readonly question: PhotosQuestion;
  readonly newer: Picture | undefined;
  readonly older: Picture | undefined;
}

/** Looks on the page it was opened from, and one picture before and after. */
export async function findUndatedPlace(
  { viewpoint, streams, counters, question }: OpenedPicture,
  { id }: Picture,
): Promise<UndatedPlace> {
  const view = createCountedView(viewpoint);
  const undated = await counters.undated.find(view, await counters.months.count(view, streams));
  const asked = question.month === undatedMonth ? (question.page ?? 1) : 1;
  const loadAround = async (page: number) => {
    const start = Math.max(0, (page - 1) * picturesPerPage - 1);
    const found = await loadUndated(viewpoint.reader, undated, start, picturesPerPage + 2);
    const index = found.findIndex((each) => each.id === id);
    return { found, index, page: 1 + Math.floor((start + index) / picturesPerPage) };
  };
  const seen = await loadAround(asked);
  const { source, stream } = question;
  const grid = (page: number): PhotosQuestion => ({ source, stream, month: undatedMonth, page });
  if (seen.index < 0) return { question: grid(1), newer: undefined, older: undefined };
  const { found, index, page } = seen.page === asked ? seen : await loadAround(seen.page);
  return { question: grid(page), newer: found[index - 1], older: found[index + 1] };
}
