import { PdppError } from "@pdpp/contract/errors";
import { createDatabaseBlobs } from "../store/blobs/blobs.ts";
import type { Store } from "../store/store.ts";
import { encodeBackup } from "./backup-file.ts";
import { createCounts, generateBackupLines } from "./write-backup.ts";

/** One backup at a time, because it keeps a snapshot of the vault open. */
const storesInBackup = new WeakSet<Store>();

/** Streams a backup of an open vault. A stream that was not read to its end fails verification. */
export function streamBackup(store: Store, passphrase: string | undefined, now: number): ReadableStream<Uint8Array> {
  if (storesInBackup.has(store))
    throw new PdppError("unavailable", "a backup is already running; try again when it has finished");
  storesInBackup.add(store);
  const { engine } = store;
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const made = engine.read(async (on) => {
    // In a shared database, blobs are read from the same snapshot as rows.
    const isShared = engine.dialect.name === "postgres";
    const blobs = isShared ? createDatabaseBlobs({ ...engine, read: (work) => work(on) }) : store.blobs;
    const lines = generateBackupLines({ on, blobs, now }, createCounts());
    for await (const chunk of encodeBackup(lines, passphrase)) await writer.write(chunk);
  }, "heavy");
  made
    .then(
      () => writer.close(),
      (error) => writer.abort(error),
    )
    .catch(() => undefined)
    .finally(() => storesInBackup.delete(store));
  return readable;
}
