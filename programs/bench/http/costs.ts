import { calculateMedian } from "../measure.ts";
import { type Client, sendRequests } from "./load.ts";

/** One of the processes that are compared. */
export interface Side {
  readonly readCpu: () => number;
  readonly send: (client: Client, n: number) => Promise<unknown>;
}

/** Long enough for the counters, short enough for all sides to see the same load of the machine. */
const blockUs = 60_000;
const [minRequests, maxRequests] = [2, 600];
const [blocks, warmUpUs] = [7, 800_000];

/** The CPU time of a request on each side, in microseconds. The sides take turns in short blocks; medians of the blocks. */
export async function measureCosts(sides: readonly Side[], clients: readonly Client[]): Promise<number[]> {
  let sent = 0;
  const runBlock = async (side: Side, count: number): Promise<number> => {
    const before = side.readCpu();
    await sendRequests(clients, count, (client) => {
      sent += 1;
      return side.send(client, sent);
    });
    return (side.readCpu() - before) / count;
  };
  const sizes: number[] = [];
  for (const side of sides) {
    let cost = 0;
    for (let spent = 0; spent < warmUpUs; spent += cost * minRequests * clients.length)
      cost = await runBlock(side, minRequests * clients.length);
    sizes.push(Math.min(maxRequests, Math.max(minRequests, Math.ceil(blockUs / cost))));
  }
  const costs: number[][] = sides.map(() => []);
  for (let block = 0; block < blocks; block += 1)
    for (const [i, side] of sides.entries()) costs[i]!.push(await runBlock(side, sizes[i]!));
  return costs.map(calculateMedian);
}
