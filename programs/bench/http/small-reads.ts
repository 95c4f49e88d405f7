import { calculatePercentile, type Figure, timeWork } from "../measure.ts";
import { createClient, sendRequests } from "./load.ts";
import type { MeasuredProcess } from "./processes.ts";
import type { Read } from "./reads.ts";

/** How long small reads take alone, and next to six clients that send heavy reads with the same token. */

const heavyClients = 6;
const rounds = 400;
const warmUpRounds = 100;
const maxRatio = 3;
const small = ["one record", "a window of a long text", "a list of 25", "a count, stored", "a count, filtered"];
const heavy = ["group_by", "search: a word in a third of all records", "search: a phrase", "search: two words"];

export async function measureSmallReads(
  server: MeasuredProcess,
  reads: readonly Read[],
  headers: Readonly<Record<string, string>>,
  note: (text: string) => void,
): Promise<Figure[]> {
  const client = createClient();
  const readers = Array.from({ length: heavyClients }, createClient);
  const pick = (names: readonly string[]) => reads.filter(({ name }) => names.some((each) => name.startsWith(each)));
  const heavyPaths = pick(heavy).flatMap(({ requests }) => requests.map(({ path }) => path));
  const measureOnce = async (count: number): Promise<Map<string, number[]>> => {
    const times = new Map<string, number[]>(pick(small).map(({ name }) => [name, []]));
    for (let round = 0; round < count; round += 1)
      for (const { name, requests } of pick(small)) {
        const { path } = requests[round % requests.length]!;
        times.get(name)!.push(await timeWork(() => client.send(server.url, { path: path }, headers)));
      }
    return times;
  };
  try {
    await measureOnce(warmUpRounds);
    const idle = await measureOnce(rounds);
    let hasEnded = false;
    const send = (reader: typeof client, n: number) =>
      reader.send(server.url, { path: heavyPaths[n % heavyPaths.length]! }, headers);
    let sent = 0;
    const loading = sendRequests(
      readers,
      Number.POSITIVE_INFINITY,
      async (reader, n) => {
        await send(reader, n);
        sent += 1;
      },
      () => hasEnded,
    );
    const beside = await measureOnce(rounds).finally(() => {
      hasEnded = true;
    });
    // Fails if a heavy read was rejected.
    await loading;
    note(`${sent} heavy reads were answered`);
    return [...beside].flatMap(([name, times]) =>
      [50, 99].map((percent): Figure => {
        const [ours, raw] = [times, idle.get(name)!].map((each) => calculatePercentile(each, percent)) as [
          number,
          number,
        ];
        const limit = percent === 99 ? { limit: { atMost: maxRatio } } : {};
        return { what: `${name}, p${percent}; raw: alone`, unit: "ms", ours, raw, ratio: ours / raw, ...limit };
      }),
    );
  } finally {
    for (const each of [client, ...readers]) each.close();
  }
}
