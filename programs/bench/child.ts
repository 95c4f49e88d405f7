import { openStore } from "@pdpp/server/store/store";
import { Stopwatch } from "./measure.ts";
import { insertRaw, type RawInsert } from "./raw.ts";
import { ingestFile, type Place } from "./vault.ts";

/** One ingest in a child process, so its memory can be measured. Takes a job as JSON and prints the outcome as JSON. */

export type Job =
  | { readonly task: "ours"; readonly place: Place; readonly connectionId: string; readonly file: string }
  | ({ readonly task: "raw" } & RawInsert);

export interface Outcome {
  readonly records: number;
  readonly ms: number;
  readonly cpuMs: number;
  readonly peakMb: number;
}

async function run(job: Job, watch: Stopwatch): Promise<number> {
  if (job.task === "raw") return insertRaw(job, watch);
  const store = await openStore(job.place);
  const records = await watch.run(() => ingestFile(store, job.connectionId, job.file));
  await store.close();
  return records;
}

const watch = new Stopwatch();
const records = await run(JSON.parse(process.argv[2]!) as Job, watch);
const peakMb = process.resourceUsage().maxRSS / 1024;
process.stdout.write(JSON.stringify({ records, ms: watch.ms, cpuMs: watch.cpuMs, peakMb } satisfies Outcome));
