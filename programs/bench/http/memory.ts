import { setTimeout as wait } from "node:timers/promises";
import { calculateMedian, type Figure } from "../measure.ts";
import { buildWord } from "../search-texts.ts";
import { type Client, sendRequests } from "./load.ts";
import type { MeasuredProcess } from "./processes.ts";
import type { Read } from "./reads.ts";

/** Memory while eight clients send all reads in turn, and after they have left. */

export interface MemoryLoad {
  readonly minutes: number;
  /** How long the server is left alone before it is measured again: longer than an idle thread stays. */
  readonly restSeconds: number;
}

type Memory = ReturnType<MeasuredProcess["readMemory"]>;

/** The limits of a server with a million records. */
const atRestMb = 150;
const underLoadMb = 450;
const afterwardsMb = 220;
/** Memory is flat if the second half needs at most this many times what the first one needed. */
const maxGrowth = 1.05;

const sampleMs = 250;

/** The time that heavy reads take depends on the machine, so this has no CPU figures. */
export async function measureMemory(
  server: MeasuredProcess,
  atRest: Memory,
  reads: readonly Read[],
  clients: readonly Client[],
  headers: Readonly<Record<string, string>>,
  { minutes, restSeconds }: MemoryLoad,
): Promise<Figure[]> {
  const half = minutes * 30_000;
  const first = await sampleUnderLoad(server, reads, clients, headers, half);
  const second = await sampleUnderLoad(server, reads, clients, headers, half);
  await wait(restSeconds * 1000);
  const most = findMost([...first, ...second]);
  const [before, later] = [first, second].map((samples) => calculateMedian(samples.map(({ rssMb }) => rssMb))) as [
    number,
    number,
  ];
  return [
    ...describe("at rest", atRest, atRestMb),
    ...describe(`under load, 8 clients for ${minutes} minutes`, most, underLoadMb),
    {
      what: "memory under load, second half / first half",
      unit: "MB",
      ours: later,
      raw: before,
      ratio: later / before,
      limit: { atMost: maxGrowth },
    },
    ...describe(`${restSeconds} s afterwards`, server.readMemory(), afterwardsMb),
  ];
}

const describe = (when: string, { rssMb, anonymousMb }: Memory, atMost: number): Figure[] => [
  { what: `memory ${when}`, unit: "MB", ours: rssMb, limit: { atMost } },
  { what: `memory ${when}, without mapped files`, unit: "MB", ours: anonymousMb },
];

const findMost = (samples: readonly Memory[]): Memory =>
  samples.reduce((most, each) => (each.rssMb > most.rssMb ? each : most));

async function sampleUnderLoad(
  server: MeasuredProcess,
  reads: readonly Read[],
  clients: readonly Client[],
  headers: Readonly<Record<string, string>>,
  ms: number,
): Promise<Memory[]> {
  const samples: Memory[] = [server.readMemory()];
  const timer = setInterval(() => samples.push(server.readMemory()), sampleMs);
  const until = performance.now() + ms;
  const paths = [...reads.flatMap((read) => read.requests.slice(0, maxVariants).map(({ path }) => path))];
  const pickPath = (n: number): string =>
    n % (paths.length + 1) === paths.length ? searchOneWord(n) : paths[n % (paths.length + 1)]!;
  try {
    await sendRequests(
      clients,
      Number.POSITIVE_INFINITY,
      (client, n) => client.send(server.url, { path: pickPath(n) }, headers),
      () => performance.now() > until,
    );
  } finally {
    clearInterval(timer);
  }
  return samples;
}

/** A different word each time, so that caches fill up. */
const searchOneWord = (n: number): string => `/v1/search?limit=10&q=${buildWord((n * 7919) % 60_000)}`;

/** Of reads that name a record or a sender; the others have fewer. */
const maxVariants = 3;
