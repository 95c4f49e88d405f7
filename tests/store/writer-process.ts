import { ingest } from "#server/ingest/ingest";
import { findConnection } from "#server/owner/connections";
import { openStore, type StoreLocation } from "#server/store/store";

/** Another process that writes a number of batches of new records to a vault. */

export interface WriterTask {
  readonly location: StoreLocation;
  /** Without a connection, it only opens and closes the vault. */
  readonly connectionId?: string;
  readonly prefix: string;
  readonly batches: number;
  readonly size: number;
}

async function* batch(prefix: string, n: number, size: number): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < size; i += 1)
    yield Buffer.from(`${JSON.stringify({ data: { id: `${prefix}${n}.${i}`, title: `${n}` } })}\n`);
}

const task = JSON.parse(process.argv[2]!) as WriterTask;
const store = await openStore(task.location);
if (task.connectionId !== undefined) {
  const connection = await findConnection(store, 1, task.connectionId);
  process.stdout.write("ready\n");
  for (let n = 0; n < task.batches; n += 1) {
    await ingest(store, { ownerNo: 1, connection, stream: "entries" }, batch(task.prefix, n, task.size), {
      now: Date.now,
    });
  }
}
await store.close();
