import type { ReadApi } from "@pdpp/contract/operations";
import type { CatalogStream } from "#server/store/catalog/catalog";
import { calculatePercentile, compareWithRaw, type Figure, timeWork } from "./measure.ts";
import type { RawReader } from "./raw.ts";
import { buildRecordId, connectionIds, streamName } from "./records.ts";

const reads = 5000;
const seed = 1;

/** Reads single records by id, first alone and then while aggregates over the whole stream keep every heavy worker busy. */
export async function measureLatency(
  api: ReadApi,
  raw: RawReader,
  stream: CatalogStream,
  count: number,
): Promise<Figure[]> {
  const get = raw.prepared(`SELECT * FROM r_${stream.streamNo} WHERE owner_no = 1 AND connection_no = 1 AND key = $1`);
  const fetch = (id: string) => api.fetch({ stream: streamName, connection_id: connectionIds[0], record_id: id });
  const ids = Array.from({ length: reads }, (_, i) => buildRecordId(seed, Math.floor((i * 7919 * 131) % count)));

  await timeReads(ids, fetch, get);
  const [alone, bare] = await timeReads(ids, fetch, get);
  let busy = true;
  const aggregates = Array.from({ length: 2 }, async () => {
    while (busy) await api.aggregate({ stream: streamName, metric: "count", group_by: "sender" });
  });
  const [beside, bareBeside] = await timeReads(ids, fetch, get);
  busy = false;
  await Promise.all(aggregates);

  return [
    compareWithRaw("one record, p50", "ms", calculatePercentile(alone, 50), calculatePercentile(bare, 50)),
    compareWithRaw("one record, p99", "ms", calculatePercentile(alone, 99), calculatePercentile(bare, 99)),
    compareWithRaw(
      "one record during 2 aggregates, p50",
      "ms",
      calculatePercentile(beside, 50),
      calculatePercentile(bareBeside, 50),
    ),
    compareWithRaw(
      "one record during 2 aggregates, p99",
      "ms",
      calculatePercentile(beside, 99),
      calculatePercentile(bareBeside, 99),
    ),
  ];
}

type Read = (id: string) => Promise<unknown>;

/** Times two ways to read the same records, in turn. */
async function timeReads(ids: readonly string[], ...ways: readonly [Read, Read]): Promise<[number[], number[]]> {
  const times: [number[], number[]] = [[], []];
  for (const id of ids) {
    for (const [way, read] of ways.entries()) {
      times[way]!.push(await timeWork(() => read(id)));
      // Each in its own event-loop turn, as requests arrive.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return times;
}
