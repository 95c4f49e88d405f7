import { writeSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { openStore } from "@pdpp/server/store/store";
import { ingest } from "#server/ingest/ingest";
import { findConnection } from "#server/owner/connections";
import { formatLine, type KillTask, stream } from "./kill-sequence.ts";

/** Ingests the sequence from the given step until it is killed. Prints after each batch how far it is stored. */

async function* generateLines(from: number): AsyncGenerator<Uint8Array> {
  for (let n = from; ; n += 40) {
    yield Buffer.from(Array.from({ length: 40 }, (_, i) => formatLine(n + i)).join(""));
    await new Promise(setImmediate);
  }
}

const task = JSON.parse(process.argv[2]!) as KillTask;
const store = await openStore(task.location);
if (task.from === 0) flushCompileCache();
const connection = await findConnection(store, 1, task.connectionId);
// Unbuffered, so that everything the test reads was stored before it was printed.
await ingest(store, { ownerNo: 1, connection, stream }, generateLines(task.from), {
  now: Date.now,
  onStored: ({ records_accepted }) => writeSync(1, `${task.from + records_accepted}\n`),
});
