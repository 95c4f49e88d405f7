import { openStore, type Store } from "@pdpp/server/store/store";
import { createApp } from "../../packages/server/src/app.ts";
import { calculateMedian, compareWithRaw, type Figure, Stopwatch } from "./measure.ts";
import { buildRecordId, connectionIds, streamName } from "./records.ts";
import { grantToken, type Place } from "./vault.ts";

const rounds = 31;
const callsInRound = 20;
/** Until then, most CPU time goes into compilation. */
const callsBefore = 600;

/** CPU cost of a hosted tool call, compared with the REST list of the same records. */
export async function measureHosted(place: Place): Promise<Figure[]> {
  const store = await openStore(place);
  try {
    const app = createApp({ store });
    const authorization = `Bearer ${await grantToken(store)}`;
    const origin = "http://127.0.0.1:7663";
    const [connection] = connectionIds;
    const list = async () => {
      const path = `/v1/streams/${streamName}/records?limit=25&connection_id=${connection}`;
      return readBody(await app.fetch(new Request(`${origin}${path}`, { headers: { authorization } })));
    };
    const call = async () => {
      const body = JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "query_records", arguments: { stream: streamName, connection_id: connection, limit: 25 } },
      });
      const headers = {
        authorization,
        "content-type": "application/json",
        "content-length": String(Buffer.byteLength(body)),
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2025-11-25",
      };
      return readBody(await app.fetch(new Request(`${origin}/mcp`, { method: "POST", headers, body })));
    };
    for (let i = 0; i < callsBefore; i += 1) for (const work of [list, call]) await work();
    const [ours, rest]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      ours.push(await measureCpu(call));
      rest.push(await measureCpu(list));
    }
    return [
      compareWithRaw("query_records of 25, hosted, CPU time", "ms", calculateMedian(ours), calculateMedian(rest), {
        atMost: 3,
      }),
      ...(await measureLog(
        store,
        `${origin}/v1/streams/${streamName}/records/${buildRecordId(1, 7)}?connection_id=${connection}`,
        authorization,
      )),
    ];
  } finally {
    await store.close();
  }
}

const readsInRound = 200;

/** The cost the access log adds to a read of one record, compared with a server that logs nothing. */
async function measureLog(store: Store, url: string, authorization: string): Promise<Figure[]> {
  const silent = { ...store.log, note: () => true };
  const reads = [createApp({ store }), createApp({ store: { ...store, log: silent } })].map(
    (app) => async () => readBody(await app.fetch(new Request(url, { headers: { authorization } }))),
  );
  const times: number[][] = reads.map(() => []);
  for (let round = -5; round < rounds; round += 1) {
    for (const [i, read] of reads.entries()) {
      const watch = new Stopwatch();
      await watch.run(async () => {
        for (let n = 0; n < readsInRound; n += 1) await read();
        await store.log.flush();
      });
      if (round >= 0) times[i]?.push(watch.cpuMs / readsInRound);
    }
  }
  const [noted = [], quiet = []] = times;
  return [
    compareWithRaw("one record over REST, logged, CPU time", "ms", calculateMedian(noted), calculateMedian(quiet)),
  ];
}

async function readBody(response: Response): Promise<string> {
  const text = await response.text();
  if (response.status !== 200 || text.includes('"isError":true')) throw new Error(text.slice(0, 400));
  return text;
}

async function measureCpu(work: () => Promise<unknown>): Promise<number> {
  const watch = new Stopwatch();
  await watch.run(async () => {
    for (let i = 0; i < callsInRound; i += 1) await work();
  });
  return watch.cpuMs / callsInRound;
}
