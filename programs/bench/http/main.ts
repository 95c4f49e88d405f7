import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Figure } from "../measure.ts";
import { getVaultFile, type Place } from "../vault.ts";
import { measureCosts } from "./costs.ts";
import { type Client, createClient } from "./load.ts";
import { type Comparison, openMcpComparisons } from "./mcp.ts";
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

const clientsAtOnce = 8;
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
  const stops = [ours.stop];
  try {
    await wait(restMs);
    const atRest = ours.readMemory();
    const ask = (path: string) => client.send(ours.url, { path }, headers);
    const getNextCursor = async (path: string): Promise<string> =>
      (JSON.parse((await ask(path)).toString()) as { next_cursor: string }).next_cursor;
    const engine = place.databaseUrl === undefined ? "sqlite" : "postgres";
    const all = await listReads(vault, engine, count, getNextCursor);
    if (only === "small reads") return await measureSmallReads(ours, all, headers, note);
    const load: MemoryLoad = { minutes, restSeconds: leftAloneSeconds };
    if (only === "memory") return await measureMemory(ours, atRest, all, clients, headers, load);
    const reads = all.filter(({ name }) => name.includes(only));
    const routes: FloorRoute[] = [];
    for (const request of reads.flatMap(({ requests }) => requests))
      routes.push({ ...request, body: (await ask(request.path)).toString() });
    const floor = await startFloor(place, vault, routes);
    stops.push(floor.stop);
    const mcp = await openMcpComparisons(ours, vault.token, client, count, join(place.dataDir, "bench-mcp.json"));
    stops.push(mcp.stop);
    const comparisons = [
      ...reads.map((read) => compareWithFloor(read, [ours, floor], headers)),
      ...mcp.comparisons.filter(({ name }) => name.includes(only)),
    ];
    if (comparisons.length === 0) throw new Error(`no read has ${JSON.stringify(only)} in its name`);
    const figures: Figure[] = [];
    const add = (figure: Figure): void => {
      figures.push(figure);
      note(`${figure.what}: ${figure.ours.toFixed(0)} us, ${figure.ratio?.toFixed(2)} times the floor`);
    };
    for (const each of comparisons) {
      add(await measure(each, [client]));
      if (each.takesManyClients)
        add({ ...(await measure(each, clients)), what: `${each.name}, ${clientsAtOnce} clients` });
    }
    return figures;
  } finally {
    for (const each of clients) each.close();
    await Promise.all(stops.map((stop) => stop()));
  }
}

function startFloor(place: Place, { textsFile }: BenchVault, routes: readonly FloorRoute[]): Promise<MeasuredProcess> {
  const { databaseUrl } = place;
  const vault = databaseUrl === undefined ? { file: getVaultFile(place) } : { databaseUrl };
  const setup: FloorSetup = { vault, textsFile, routes };
  return startProcess([fileURLToPath(new URL("./floor.ts", import.meta.url))], process.env, JSON.stringify(setup));
}

const compareWithFloor = (
  { name, requests, atMost }: Read,
  servers: readonly MeasuredProcess[],
  headers: Readonly<Record<string, string>>,
): Comparison => ({
  name,
  sides: servers.map(({ url, readCpu }) => ({
    readCpu,
    send: (client, n) => client.send(url, { path: requests[n % requests.length]!.path }, headers),
  })),
  takesManyClients: true,
  ...(atMost === undefined ? {} : { atMost }),
});

async function measure({ name, sides, atMost }: Comparison, clients: readonly Client[]): Promise<Figure> {
  const [ours = 0, ...others] = await measureCosts(sides, clients);
  const raw = others.reduce((sum, cost) => sum + cost, 0);
  return {
    what: name,
    unit: "us",
    ours,
    raw,
    ratio: ours / raw,
    ...(atMost === undefined ? {} : { limit: { atMost } }),
  };
}
