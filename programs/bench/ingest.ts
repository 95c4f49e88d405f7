import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { openStore } from "@pdpp/server/store/store";
import { findConnection } from "#server/owner/connections";
import type { Job, Outcome } from "./child.ts";
import { compareWithRaw, type Figure } from "./measure.ts";
import { connectionIds, connectorKey, secondShare, streamName, writeRecordsFile } from "./records.ts";
import { type Place, setUp } from "./vault.ts";

const memoryLimitMb = 300;

async function runInChild(job: Job): Promise<Outcome> {
  const child = fileURLToPath(new URL("./child.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [child, JSON.stringify(job)]);
  return JSON.parse(stdout) as Outcome;
}

/** Fills the vault, and a bare table of the same shape with the same rows. */
export async function measureIngest(place: Place, workDir: string, count: number): Promise<Figure[]> {
  const [big, small] = connectionIds;
  const [bigFile, smallFile] = [join(workDir, "big.ndjson"), join(workDir, "small.ndjson")];
  const recordBytes = await writeRecordsFile(bigFile, 1, count);
  await writeRecordsFile(smallFile, 2, Math.ceil(count / secondShare));
  await setUp(place);

  const ours = await runInChild({ task: "ours", place, connectionId: big, file: bigFile });
  const raw = await runInChild({
    task: "raw",
    place,
    copyFile: join(workDir, "raw.db"),
    ...(await findTable(place, big)),
  });
  if (ours.records !== count || raw.records !== count)
    throw new Error(`${ours.records} and ${raw.records} of ${count} stored`);
  await runInChild({ task: "ours", place, connectionId: small, file: smallFile });

  const rate = ({ records, ms }: Outcome) => (records / ms) * 1000;
  const toMicrosecondsPerRecord = ({ records, cpuMs }: Outcome) => (cpuMs / records) * 1000;
  return [
    compareWithRaw(`ingest, ${Math.round(recordBytes)} bytes per record`, "records/s", rate(ours), rate(raw), {
      atLeast: 0.5,
    }),
    compareWithRaw("ingest, CPU time per record", "us", toMicrosecondsPerRecord(ours), toMicrosecondsPerRecord(raw)),
    { what: "ingest, peak memory", unit: "MB", ours: ours.peakMb, raw: raw.peakMb, limit: { atMost: memoryLimitMb } },
  ];
}

async function findTable(place: Place, connectionId: string): Promise<{ table: string; connectionNo: number }> {
  const store = await openStore(place);
  const { no: connectionNo } = await findConnection(store, 1, connectionId);
  const { streamNo } = (await store.catalog()).connectors.get(connectorKey)!.streams.get(streamName)!;
  await store.close();
  return { table: `r_${streamNo}`, connectionNo };
}
