import type { Viewpoint } from "../../explore/viewpoint.tsx";
import { type MonthCounts, sumMonths, undatedMonth } from "../month-counts.ts";
import { getMonthRange, toMonth } from "../months.ts";
import type { PhotosQuestion } from "./photo-urls.ts";
import type { PhotoMonth } from "./photos-page.tsx";
import type { PictureStream } from "./picture-streams.ts";
import { type DatedPicture, loadPictures, type Picture } from "./pictures.ts";
import { loadUndated, picturesPerPage, type UndatedPictures } from "./undated.ts";

/** The tiles of a page: the newest of each month, or all of one month. */

const monthsOnPage = 6;
/** Two rows of eight. */
const tilesInMonth = 16;
export const maxPerStream = 100;

export interface Grid {
  readonly months: readonly PhotoMonth[];
  readonly next: PhotosQuestion | undefined;
}

export async function loadOverview(
  { reader, timeZone: zone }: Viewpoint,
  counts: MonthCounts,
  undated: UndatedPictures,
  question: PhotosQuestion,
): Promise<Grid> {
  const { at } = question;
  const known = sumMonths(counts).filter(({ month }) => at === undefined || month <= at);
  const months: PhotoMonth[] = [];
  for (const { month, count } of known.slice(0, monthsOnPage)) {
    const streams = [...counts.streams].filter(([, each]) => each.has(month)).map(([stream]) => stream);
    const { start, end } = getMonthRange(month, zone);
    const found = await loadPictures(reader, streams, { from: start, to: end }, tilesInMonth);
    months.push(cutMonth(month, count, found));
  }
  const following = known[monthsOnPage]?.month;
  if (following !== undefined) return { months, next: { ...question, at: following } };
  const { count } = undated;
  if (count > 0) months.push(cutMonth(undatedMonth, count, await loadUndated(reader, undated, 0, tilesInMonth)));
  return { months, next: undefined };
}

/** Whether the overview shows the picture's month, and in it the picture. */
export async function isOnOverview(
  { reader, timeZone: zone }: Viewpoint,
  counts: MonthCounts,
  { at }: PhotosQuestion,
  picture: DatedPicture,
): Promise<boolean> {
  const month = toMonth(picture.at, zone);
  const known = sumMonths(counts).filter((each) => at === undefined || each.month <= at);
  const shown = known.slice(0, monthsOnPage).find((each) => each.month === month);
  if (shown === undefined) return false;
  const { start, end } = getMonthRange(month, zone);
  const found = await loadPictures(reader, [...counts.streams.keys()], { from: start, to: end }, tilesInMonth);
  return cutMonth(month, shown.count, found).pictures.some(({ id }) => id === picture.id);
}

/** If there are more than fit, the last tile says how many. */
function cutMonth(month: string, count: number, found: readonly Picture[]): PhotoMonth {
  const pictures = found.slice(0, count > tilesInMonth ? tilesInMonth - 1 : tilesInMonth);
  return { month, count, pictures, more: Math.max(0, count - pictures.length) };
}

export async function loadUndatedPage(
  { reader }: Viewpoint,
  undated: UndatedPictures,
  question: PhotosQuestion,
): Promise<Grid> {
  const { page = 1 } = question;
  const { count } = undated;
  const pictures = await loadUndated(reader, undated, (page - 1) * picturesPerPage, picturesPerPage);
  return {
    months: [{ month: undatedMonth, count, pictures, more: 0 }],
    next: count > page * picturesPerPage ? { ...question, page: page + 1 } : undefined,
  };
}

export async function loadMonth(
  { reader, timeZone: zone }: Viewpoint,
  streams: readonly PictureStream[],
  question: PhotosQuestion,
  count: number | undefined,
): Promise<Grid> {
  const { month = "", before } = question;
  const { start, end } = getMonthRange(month, zone);
  const range =
    before !== undefined && before < end ? { from: start, to: before, isClosed: true } : { from: start, to: end };
  const found = await loadPictures(reader, streams, range, maxPerStream);
  const { shown, next } = cutPage(found);
  return {
    months: [{ month, count, pictures: shown, more: 0 }],
    next: next === undefined ? undefined : { ...question, before: next },
  };
}

/** Ends a page between two instants, so that the next one can start at an instant. */
function cutPage(found: readonly DatedPicture[]): {
  readonly shown: readonly Picture[];
  readonly next: number | undefined;
} {
  const following = found[picturesPerPage];
  if (following === undefined) return { shown: found, next: undefined };
  const earlier = found.filter(({ at }) => at > following.at);
  // All were taken at the same instant.
  return earlier.length === 0
    ? { shown: found, next: Math.floor(following.at) - 1 }
    : { shown: earlier, next: Math.ceil(following.at) };
}

export const groupByMonth = (pictures: readonly DatedPicture[], zone: string): PhotoMonth[] =>
  [...Map.groupBy(pictures, ({ at }) => toMonth(at, zone))].slice(0, monthsOnPage).map(([month, all]) => ({
    month,
    count: undefined,
    pictures: all.slice(0, tilesInMonth),
    more: 0,
  }));
