import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { calculateMedian, type Figure } from "../measure.ts";
import { getVaultFile, type Place } from "../vault.ts";
import { type Client, createClient, sendRequests } from "./load.ts";
import { type MemoryLoad, measureMemory } from "./memory.ts";
import { type MeasuredProcess, startOurs, startProcess } from "./processes.ts";
import { type FloorRoute, type FloorSetup, listReads, type Read } from "./reads.ts";
import { measureSmallReads } from "./small-reads.ts";
import { type BenchVault, openBenchVault } from "./vault.ts";

/** The real server over HTTP: CPU time per request in its own process, next to a floor that runs in the same minutes. */

export interface HttpBench {
  readonly place: Place;
  readonly count: number;
  /** Measures only reads whose name contains this. */
  readonly only?: string | undefined;
  /** How long the clients send reads while memory is measured. */
  readonly minutes?: number | undefined;
  readonly note: (text: string) => void;
}

const blocks = 7;
const clientsAtOnce = 8;
/** Long enough for the counters, short enough for both sides to see the same load of the machine. */
const blockUs = 60_000;
const [minRequests, maxRequests] = [2, 600];
const warmUpUs = 800_000;
const restMs = 8000;
/** Idle threads end after a minute. */
const leftAloneSeconds = 120;

export async function measureHttp({ place, count, only = "", minutes = 1, note }: HttpBench): Promise<Figure[]> {
  if (process.platform !== "linux") throw new Error("--http reads the counters of other processes, which needs Linux");
  const vault = await openBenchVault(place, count, note);
  const headers = { authorization: `Bearer ${vault.token}` };
  const clients = Array.from({ length: clientsAtOnce }, createClient);
  const [client] = clients as [Client];
  const ours = await startOurs(place);
  let floor: MeasuredProcess | undefined;
  try {
    await wait(restMs);
    const atRest = ours.readMemory();
    const ask = (path: string) => client.get(ours.url + path, headers);
    const getNextCursor = async (path: string): Promise<string> =>
      (JSON.parse((await ask(path)).toString()) as { next_cursor: string }).next_cursor;
    const engine = place.databaseUrl === undefined ? "sqlite" : "postgres";
    const all = await listReads(vault, engine, count, getNextCursor);
    if (only === "small reads") return await measureSmallReads(ours, all, headers, note);
    const load: MemoryLoad = { minutes, restSeconds: leftAloneSeconds };
    if (only === "memory") return await measureMemory(ours, atRest, all, clients, headers, load);
    const reads = all.filter(({ name }) => name.includes(only));
    if (reads.length === 0) throw new Error(`no read has ${JSON.stringify(only)} in its name`);
    const routes: FloorRoute[] = [];
    for (const request of reads.flatMap(({ requests }) => requests))
      routes.push({ ...request, body: (await ask(request.path)).toString() });
    floor = await startFloor(place, vault, routes);
    const figures: Figure[] = [];
    const add = (figure: Figure): void => {
      figures.push(figure);
      note(`${figure.what}: ${figure.ours.toFixed(0)} us, ${figure.ratio?.toFixed(2)} times the floor`);
    };
    for (const read of reads) {
      add(await measureRead(read, [ours, floor], [client], headers));
      add({ ...(await measureRead(read, [ours, floor], clients, headers)), what: `${read.name}, 8 clients` });
    }
    return figures;
  } finally {
    for (const each of clients) each.close();
    await Promise.all([ours.stop(), floor?.stop()]);
  }
}

function startFloor(place: Place, { textsFile }: BenchVault, routes: readonly FloorRoute[]): Promise<MeasuredProcess> {
  const { databaseUrl } = place;
  const vault = databaseUrl === undefined ? { file: getVaultFile(place) } : { databaseUrl };
  const setup: FloorSetup = { vault, textsFile, routes };
  return startProcess([fileURLToPath(new URL("./floor.ts", import.meta.url))], process.env, JSON.stringify(setup));
}

/** Both sides in turns; medians of CPU time per request. */
async function measureRead(
  { name, requests, atMost }: Read,
  sides: readonly [MeasuredProcess, MeasuredProcess],
  clients: readonly Client[],
  headers: Readonly<Record<string, string>>,
): Promise<Figure> {
  let sent = 0;
  const runBlock = async (side: MeasuredProcess, count: number): Promise<number> => {
    const before = side.readCpu();
    await sendRequests(clients, count, (client) => {
      sent += 1;
      return client.get(side.url + requests[sent % requests.length]!.path, headers);
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
  const [ours, raw] = costs.map(calculateMedian) as [number, number];
  return {
    what: name,
    unit: "us",
    ours,
    raw,
    ratio: ours / raw,
    ...(atMost === undefined ? {} : { limit: { atMost } }),
  };
}
