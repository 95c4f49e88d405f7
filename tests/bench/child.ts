import { openStore } from "@pdpp/server/store/store";
import { type RawInsert, rawInsert } from "./raw.ts";
import { ingestFile, type Place } from "./vault.ts";

/** One ingest in a process of its own, so that its memory can be measured. Takes a job as JSON, prints the outcome as JSON. */

export type Job =
  | { readonly task: "ours"; readonly place: Place; readonly connectionId: string; readonly file: string }
  | ({ readonly task: "raw" } & RawInsert);

export interface Outcome {
  readonly records: number;
  readonly ms: number;
  readonly peakMb: number;
}

async function run(job: Job): Promise<{ records: number; ms: number }> {
  if (job.task === "raw") return rawInsert(job);
  const store = await openStore(job.place);
  const before = performance.now();
  const records = await ingestFile(store, job.connectionId, job.file);
  const ms = performance.now() - before;
  await store.close();
  return { records, ms };
}

const outcome = await run(JSON.parse(process.argv[2]!) as Job);
const peakMb = process.resourceUsage().maxRSS / 1024;
process.stdout.write(JSON.stringify({ ...outcome, peakMb } satisfies Outcome));
