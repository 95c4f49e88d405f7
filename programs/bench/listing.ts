import type { Input, ReadApi } from "@pdpp/contract/operations";
import { calculateMedian, compareWithRaw, type Figure, timeWork } from "./measure.ts";
import { connectionIds, streamName } from "./records.ts";

const deepPage = 10_000;
const lastPages = 20;
const rounds = 5;

const lists: readonly { readonly what: string; readonly query: Partial<Input<"queryRecords">> }[] = [
  { what: "one connection", query: { connection_id: connectionIds[0] } },
  { what: "exact filter", query: { connection_id: connectionIds[0], filter: { is_read: "true" } } },
  { what: "fan-in over 2 connections", query: {} },
];

/** Compares page 1 with the deepest page (10,000 at most), reached by following `next_cursor`. */
export async function measureListing(api: ReadApi): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { what, query } of lists) {
    const first: Input<"queryRecords"> = { stream: streamName, limit: 100, ...query };
    const { depth, cursors } = await walk(api, first);
    const [early, late]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      for (const cursor of cursors) {
        early.push(await timeWork(() => api.queryRecords(first)));
        late.push(await timeWork(() => api.queryRecords({ ...first, cursor })));
      }
    }
    figures.push(
      compareWithRaw(`page ${depth} / page 1, ${what}`, "ms", calculateMedian(late), calculateMedian(early), {
        atMost: 1.5,
      }),
    );
  }
  return figures;
}

/** Follows the pages and returns the cursors of the last full ones. */
async function walk(api: ReadApi, first: Input<"queryRecords">): Promise<{ depth: number; cursors: string[] }> {
  let cursors: string[] = [];
  let depth = 1;
  let { next_cursor: cursor } = await api.queryRecords(first);
  while (cursor !== undefined && depth < deepPage) {
    const page = await api.queryRecords({ ...first, cursor });
    if (page.data.length < Number(first.limit)) break;
    cursors = [...cursors.slice(1 - lastPages), cursor];
    cursor = page.next_cursor;
    depth += 1;
  }
  return { depth, cursors };
}
