import { openStore } from "@pdpp/server/store/store";
import { createApp } from "../../packages/server/src/app.ts";
import { compared, type Figure, median, Stopwatch } from "./measure.ts";
import { connectionIds, streamName } from "./records.ts";
import { grantToken, type Place } from "./vault.ts";

const rounds = 31;
const callsInRound = 20;
/** Until then the processor compiles more than it answers. */
const callsBefore = 600;

/** What a hosted tool call costs the processor, beside the REST list of the same records. */
export async function benchHosted(place: Place): Promise<Figure[]> {
  const store = await openStore(place);
  try {
    const app = createApp({ store });
    const authorization = `Bearer ${await grantToken(store)}`;
    const origin = "http://127.0.0.1:7663";
    const [connection] = connectionIds;
    const list = async () => {
      const path = `/v1/streams/${streamName}/records?limit=25&connection_id=${connection}`;
      return whole(await app.fetch(new Request(`${origin}${path}`, { headers: { authorization } })));
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
      return whole(await app.fetch(new Request(`${origin}/mcp`, { method: "POST", headers, body })));
    };
    for (let i = 0; i < callsBefore; i += 1) for (const work of [list, call]) await work();
    const [ours, rest]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      ours.push(await cpuOf(call));
      rest.push(await cpuOf(list));
    }
    return [compared("query_records of 25, hosted, processor", "ms", median(ours), median(rest), { atMost: 3 })];
  } finally {
    await store.close();
  }
}

async function whole(response: Response): Promise<string> {
  const text = await response.text();
  if (response.status !== 200 || text.includes('"isError":true')) throw new Error(text.slice(0, 400));
  return text;
}

async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const watch = new Stopwatch();
  await watch.run(async () => {
    for (let i = 0; i < callsInRound; i += 1) await work();
  });
  return watch.cpuMs / callsInRound;
}
