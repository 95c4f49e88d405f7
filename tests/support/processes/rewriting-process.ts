import { openStore, type StoreLocation } from "@pdpp/server/store/store";
import { ingest } from "../../../packages/server/src/ingest/ingest.ts";
import { findConnection } from "../../../packages/server/src/owner/connections.ts";

/** Child process: rewrites one note repeatedly. Each version consists of a single repeated word. */

export interface RewritingTask {
  readonly location: StoreLocation;
  readonly connectionId: string;
  readonly recordId: string;
  readonly times: number;
  /** How often each version repeats its word, in rotation. */
  readonly lengths: readonly number[];
}

const task = JSON.parse(process.argv[2]!) as RewritingTask;
const store = await openStore(task.location);
const connection = await findConnection(store, 1, task.connectionId);
process.stdout.write("ready\n");
for (let n = 0; n < task.times; n += 1) {
  const length = task.lengths[n % task.lengths.length]!;
  const data = { id: task.recordId, at: "2026-05-01T10:00:00Z", body: `w${n}é🎈 `.repeat(length), tree: { n } };
  const line = Buffer.from(`${JSON.stringify({ data })}\n`);
  await ingest(
    store,
    { ownerNo: 1, connection, stream: "notes" },
    (async function* () {
      yield line;
    })(),
    { now: Date.now },
  );
}
await store.close();
