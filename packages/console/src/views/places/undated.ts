import type { CountedView } from "../../days/day-counts.ts";
import { createBackgroundCache, startWaiting } from "../../frame/background-cache.ts";
import { type Located, loadPage } from "./located.ts";
import type { PlaceStream } from "./place-streams.ts";

/**
 * Records without a date come last in every list, and no filter selects them. They are looked for in the background,
 * and only in streams that have some.
 */
export interface UndatedLoader {
  /** Undefined while it is looking. */
  load(view: CountedView, stream: PlaceStream, count: number): Promise<readonly Located[] | undefined>;
}

const recordsPerPage = 100;
/** 10,000 records; those beyond are found in the table. */
const maxPages = 100;
const maxUndated = 100;

export function createUndatedLoader(now: () => number): UndatedLoader {
  const cache = createBackgroundCache<readonly Located[]>(now, []);
  return {
    async load(view, stream, count) {
      if (count === 0) return [];
      const key = JSON.stringify([view.key, stream.connection, stream.declaration.name]);
      const compute = () => findUndated(view, stream, count);
      const { canBeOutdated } = view;
      return (await cache.load({ key, state: stream.state, canBeOutdated, compute }, startWaiting()))?.value;
    },
  };
}

async function findUndated({ reader }: CountedView, stream: PlaceStream, count: number): Promise<Located[]> {
  const wanted = Math.min(count, maxUndated);
  const undated: Located[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages && (page === 0 || cursor !== undefined); page += 1) {
    const { found, next } = await loadPage(reader, stream, { cursor, limit: recordsPerPage });
    undated.push(...found.filter(({ at }) => at === undefined));
    if (undated.length >= wanted) break;
    cursor = next;
  }
  return undated.slice(0, wanted);
}
