import type { ReadApi } from "@pdpp/contract/operations";
import type { CountedView } from "../../days/day-counts.ts";
import { createBackgroundCache, startWaiting } from "../../frame/background-cache.ts";
import { type MonthCounts, undatedMonth } from "../month-counts.ts";
import type { PictureStream } from "./picture-streams.ts";
import { hasDate, type Picture, parseTime, toPicture } from "./pictures.ts";

/**
 * Pictures without a date. A list ends with them and no filter selects them, so the way to them leads through all others. It is found in the
 * background and remembered as the cursors of their pages.
 */

export interface UndatedPictures {
  /** How many of them pages can show. */
  readonly count: number;
  /** How many others there are, by source and stream. */
  readonly beyond: readonly { readonly stream: PictureStream; readonly count: number }[];
  readonly lists: readonly UndatedList[];
  readonly isSearching: boolean;
}

interface UndatedList extends FoundList {
  readonly stream: PictureStream;
}

interface FoundList {
  readonly filter: Readonly<Record<string, string>>;
  /** The start of each page; undefined is the start of the list. */
  readonly cursors: readonly (string | undefined)[];
  readonly count: number;
}

export interface UndatedFinder {
  find(view: CountedView, counts: MonthCounts): Promise<UndatedPictures>;
}

/** A multiple of eight, the columns of the grid. */
export const picturesPerPage = 96;
const maxPages = 50;
/** The most that a page of a list holds. */
const maxLimit = 100;
const maxSteps = 200;

export function createUndatedFinder(now: () => number): UndatedFinder {
  const cache = createBackgroundCache<readonly FoundList[]>(now, []);
  return {
    async find({ reader, key: viewKey, canBeOutdated }, { streams }) {
      const waited = startWaiting();
      const counted = [...streams].flatMap(([stream, months]) => {
        const count = months.get(undatedMonth) ?? 0;
        return count === 0 ? [] : [{ stream, count }];
      });
      const found = await Promise.all(
        counted.map(async ({ stream, count }) => {
          const { connection, declaration, state } = stream;
          const key = JSON.stringify([viewKey, connection, declaration.name]);
          const compute = () => findLists(reader, stream);
          const lists = await cache.load({ key, state, canBeOutdated, compute }, waited);
          return { stream, count, lists: lists?.value };
        }),
      );
      const lists = found.flatMap(({ stream, lists: own = [] }) => own.map((list) => ({ ...list, stream })));
      return {
        count: sumCounts(lists),
        beyond: found.flatMap(({ stream, count, lists: own }) => {
          const rest = own === undefined ? 0 : count - sumCounts(own);
          return rest > 0 ? [{ stream, count: rest }] : [];
        }),
        lists,
        isSearching: found.some(({ lists: own }) => own === undefined),
      };
    },
  };
}

const sumCounts = (lists: readonly { readonly count: number }[]): number =>
  lists.reduce((sum, { count }) => sum + count, 0);

/** Where the order of lists is another, pictures without a date may be anywhere. */
const endsWithUndated = ({ declaration, field }: PictureStream): boolean => declaration.cursorField === field.name;

async function findLists(reader: ReadApi, stream: PictureStream): Promise<FoundList[]> {
  if (!endsWithUndated(stream)) return [];
  const lists: FoundList[] = [];
  for (const filter of stream.filters) {
    const start = await findStart(reader, stream, filter);
    if (start !== undefined) lists.push(await findPages(reader, stream, filter, start.cursor));
  }
  return lists.filter(({ count }) => count > 0);
}

type Filter = FoundList["filter"];

const listTimes = async (
  reader: ReadApi,
  { connection, declaration, field }: PictureStream,
  filter: Filter,
  cursor: string | undefined,
  limit: number,
) => {
  const { data, next_cursor: next } = await reader.queryRecords({
    stream: declaration.name,
    connection_id: connection,
    filter,
    view: "evidence",
    fields: [field.name],
    order: "desc",
    limit,
    count: "none",
    ...(cursor === undefined ? {} : { cursor }),
  });
  const times = data.map((item) => (item.object === "evidence_card" ? parseTime(item.event_time) : undefined));
  return { times, next };
};

/** The cursor of the first one; undefined if it is too far away or there is none. */
async function findStart(
  reader: ReadApi,
  stream: PictureStream,
  filter: Filter,
): Promise<{ readonly cursor: string | undefined } | undefined> {
  let cursor: string | undefined;
  for (let step = 0; step < maxSteps; step += 1) {
    const { times, next } = await listTimes(reader, stream, filter, cursor, maxLimit);
    const dated = times.indexOf(undefined);
    if (dated === 0) return { cursor };
    if (dated > 0) return { cursor: (await listTimes(reader, stream, filter, cursor, dated)).next };
    if (next === undefined) return undefined;
    cursor = next;
  }
  return undefined;
}

async function findPages(
  reader: ReadApi,
  stream: PictureStream,
  filter: Filter,
  start: string | undefined,
): Promise<FoundList> {
  const cursors: (string | undefined)[] = [];
  let count = 0;
  let cursor = start;
  do {
    const { times, next } = await listTimes(reader, stream, filter, cursor, picturesPerPage);
    cursors.push(cursor);
    count += times.length;
    cursor = next;
  } while (cursor !== undefined && cursors.length < maxPages);
  return { filter, cursors, count };
}

/** As many as `limit` of them, after the first `skipped`. */
export async function loadUndated(
  reader: ReadApi,
  { lists }: UndatedPictures,
  skipped: number,
  limit: number,
): Promise<Picture[]> {
  const found: Picture[] = [];
  let start = skipped;
  for (const { stream, filter, cursors, count } of lists) {
    while (start < count && found.length < limit) {
      const cursor = cursors[Math.floor(start / picturesPerPage)];
      const page = await loadPage(reader, stream, filter, cursor);
      const offset = start % picturesPerPage;
      const taken = page.slice(offset, offset + limit - found.length);
      // Records may have been deleted since.
      if (taken.length === 0) break;
      found.push(...taken);
      start += taken.length;
    }
    start = Math.max(0, start - count);
  }
  return found.filter((picture) => !hasDate(picture));
}

async function loadPage(
  reader: ReadApi,
  stream: PictureStream,
  filter: Filter,
  cursor: string | undefined,
): Promise<Picture[]> {
  const { data } = await reader.queryRecords({
    stream: stream.declaration.name,
    connection_id: stream.connection,
    filter,
    view: "evidence",
    order: "desc",
    limit: picturesPerPage,
    ...(cursor === undefined ? {} : { cursor }),
  });
  return data.flatMap((card) => (card.object === "evidence_card" ? [toPicture(card, stream)] : []));
}
