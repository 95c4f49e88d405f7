import type { ReadApi } from "@pdpp/contract/operations";
import type { CatalogStream } from "#server/store/catalog/catalog";
import { compared, type Figure, percentile, timed } from "./measure.ts";
import type { RawReader } from "./raw.ts";
import { connectionIds, recordId, streamName } from "./records.ts";

const reads = 5000;
const seed = 1;

/** Single records by id, alone and while aggregates over the whole stream keep every heavy worker busy. */
export async function benchLatency(
  api: ReadApi,
  raw: RawReader,
  stream: CatalogStream,
  count: number,
): Promise<Figure[]> {
  const get = raw.prepared(`SELECT * FROM r_${stream.streamNo} WHERE owner_no = 1 AND connection_no = 1 AND key = $1`);
  const fetch = (id: string) => api.fetch({ stream: streamName, connection_id: connectionIds[0], record_id: id });
  const ids = Array.from({ length: reads }, (_, i) => recordId(seed, Math.floor((i * 7919 * 131) % count)));

  await each(ids, fetch, get);
  const [alone, bare] = await each(ids, fetch, get);
  let busy = true;
  const aggregates = Array.from({ length: 2 }, async () => {
    while (busy) await api.aggregate({ stream: streamName, metric: "count", group_by: "sender" });
  });
  const [beside, bareBeside] = await each(ids, fetch, get);
  busy = false;
  await Promise.all(aggregates);

  return [
    compared("one record, p50", "ms", percentile(alone, 50), percentile(bare, 50)),
    compared("one record, p99", "ms", percentile(alone, 99), percentile(bare, 99)),
    compared("one record beside 2 aggregates, p50", "ms", percentile(beside, 50), percentile(bareBeside, 50)),
    compared("one record beside 2 aggregates, p99", "ms", percentile(beside, 99), percentile(bareBeside, 99)),
  ];
}

type Read = (id: string) => Promise<unknown>;

/** The times of two ways to read the same records, one after the other. */
async function each(ids: readonly string[], ...ways: readonly [Read, Read]): Promise<[number[], number[]]> {
  const times: [number[], number[]] = [[], []];
  for (const id of ids) {
    for (const [way, read] of ways.entries()) {
      times[way]!.push(await timed(() => read(id)));
      // As requests come: each in a turn of its own.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return times;
}
