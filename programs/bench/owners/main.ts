import type { ReadApi } from "@pdpp/contract/operations";
import { openStore } from "@pdpp/server/store/store";
import { authenticate } from "#server/auth/authenticate";
import { issueGrant } from "#server/auth/issue";
import { createReader } from "#server/read/reader";
import { createClient } from "../http/load.ts";
import { startOurs } from "../http/processes.ts";
import { buildRecordId, connectionIds, connectorKey, openBenchVault, streamName } from "../http/vault.ts";
import { calculateMedian, compareWithRaw, type Figure } from "../measure.ts";
import type { Place } from "../vault.ts";
import { createCountingStore, createDatabaseCpuCounter, measureDisk, type ReadWork } from "./database.ts";
import { multiplyOwners } from "./multiply.ts";

/** Whether the cost of a read depends on the number of owners: the same reads with one owner and with many. */

export interface OwnersBench {
  readonly place: Place & { readonly databaseUrl: string };
  /** Of each owner. */
  readonly count: number;
  readonly owners: number;
  readonly note: (text: string) => void;
}

interface OwnerRead {
  readonly name: string;
  readonly path: string;
  run(api: ReadApi): Promise<unknown>;
}

const [firstConnection] = connectionIds;
const oneRecord = { stream: streamName, connection_id: firstConnection, record_id: buildRecordId(11) };
const reads: readonly OwnerRead[] = [
  {
    name: "one record",
    path: `/v1/streams/${streamName}/records/${oneRecord.record_id}?connection_id=${firstConnection}`,
    run: (api) => api.fetch(oneRecord),
  },
  {
    name: "a list of 25",
    path: `/v1/streams/${streamName}/records?limit=25`,
    run: (api) => api.queryRecords({ stream: streamName, limit: 25 }),
  },
  {
    name: "a filtered count",
    path: `/v1/streams/${streamName}/aggregate?metric=count&filter[folder]=folder3`,
    run: (api) => api.aggregate({ stream: streamName, metric: "count", filter: { folder: "folder3" } }),
  },
  {
    name: "search: a medium word",
    path: "/v1/search?limit=10&q=medium",
    run: (api) => api.search({ q: "medium", limit: 10 }),
  },
];

/** Indexes have two levels more at most; a scan over owners would be a thousand times as much. */
const maxPageRatio = 3;
/** A server keeps the catalogs and segments of this many owners warm, as it would if they were active. */
const activeOwners = 50;
const roundsPerBlock = 4;
const blocks = 7;

interface OwnerCosts extends ReadWork {
  readonly serverUs: number;
  readonly databaseUs: number;
}

export async function measureOwners({ place, count, owners, note }: OwnersBench): Promise<Figure[]> {
  if (process.platform !== "linux")
    throw new Error("--owners reads the counters of other processes, which needs Linux");
  await openBenchVault(place, count, note);
  // Statistics are there, as they will be with many owners.
  await multiplyOwners(place.databaseUrl, 1, note);
  const alone = await measureReads(place, 1);
  await multiplyOwners(place.databaseUrl, owners, note);
  const many = await measureReads(place, owners);
  const records = owners * count;
  const disk = (await measureDisk(place.databaseUrl)).map(
    ({ what, bytes }): Figure => ({ what: `disk per record: ${what}`, unit: "bytes", ours: bytes / records }),
  );
  const costs = reads.flatMap(({ name }, i) => {
    const compare = (what: string, unit: Figure["unit"], part: keyof OwnerCosts, limit?: Figure["limit"]): Figure =>
      compareWithRaw(`${name}, ${what}`, unit, many[i]![part], alone[i]![part], limit);
    return [
      compare("statements", "", "statements", { atMost: 1 }),
      compare("pages looked at", "", "buffers", { atMost: maxPageRatio }),
      compare("CPU of the server", "us", "serverUs"),
      compare("CPU of PostgreSQL", "us", "databaseUs"),
    ];
  });
  return [...costs, ...disk];
}

async function measureReads(place: Place & { readonly databaseUrl: string }, owners: number): Promise<OwnerCosts[]> {
  const step = Math.max(1, Math.floor(owners / activeOwners));
  const active = Array.from({ length: Math.min(owners, activeOwners) }, (_, i) => 1 + i * step);
  const store = await openStore(place);
  const tokens: string[] = [];
  let works: ReadWork[];
  try {
    const sources = [{ connector_key: connectorKey, streams: [{ name: streamName }] }];
    for (const ownerNo of active)
      tokens.push((await issueGrant(store, ownerNo, { client: { name: "bench" }, sources }, Date.now())).token);
    works = await countWork(store, tokens.at(-1)!);
  } finally {
    await store.close();
  }
  const server = await startOurs(place);
  const client = createClient();
  try {
    const readDatabaseCpu = await createDatabaseCpuCounter(place.databaseUrl);
    const costs: OwnerCosts[] = [];
    for (const [i, { path }] of reads.entries()) {
      const ask = async (): Promise<void> => {
        for (let round = 0; round < roundsPerBlock; round += 1)
          for (let n = 0; n < activeOwners; n += 1)
            await client.send(server.url, { path }, { authorization: `Bearer ${tokens[n % tokens.length]}` });
      };
      await ask();
      const [ours, theirs]: [number[], number[]] = [[], []];
      for (let block = 0; block < blocks; block += 1) {
        const before = [server.readCpu(), readDatabaseCpu()] as const;
        await ask();
        const requests = roundsPerBlock * activeOwners;
        ours.push((server.readCpu() - before[0]) / requests);
        theirs.push((readDatabaseCpu() - before[1]) / requests);
      }
      costs.push({ ...works[i]!, serverUs: calculateMedian(ours), databaseUs: calculateMedian(theirs) });
    }
    return costs;
  } finally {
    client.close();
    await server.stop();
  }
}

/** Counts what each read asks of the database, from its token to its answer, once what a server keeps is there. */
async function countWork(opened: Parameters<typeof createCountingStore>[0], token: string): Promise<ReadWork[]> {
  const { store, take } = createCountingStore(opened);
  const works: ReadWork[] = [];
  for (const { run } of reads) {
    for (let n = 0; n < 2; n += 1) {
      take();
      await run(createReader({ store, scope: await authenticate(store, token, Date.now()) }));
    }
    works.push(take());
  }
  return works;
}
