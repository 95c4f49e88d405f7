import { PdppError } from "@pdpp/contract/errors";
import { createDatabaseBlobs } from "../store/blobs/blobs.ts";
import type { Store } from "../store/store.ts";
import { encodeBackup } from "./backup-file.ts";
import { createCounts, generateBackupLines } from "./write-backup.ts";

/** One at a time: it holds a state of the vault for as long as it is taken. */
const storesInBackup = new WeakSet<Store>();

/** A backup of an open vault, as it is taken. One that is not taken to its end is no backup, and says so when it is verified. */
export function streamBackup(store: Store, passphrase: string | undefined, now: number): ReadableStream<Uint8Array> {
  if (storesInBackup.has(store))
    throw new PdppError("unavailable", "a backup is being taken already; try again when it is done");
  storesInBackup.add(store);
  const { engine } = store;
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const made = engine.read(async (on) => {
    // In a database the bytes are of the same moment as the rows.
    const isShared = engine.dialect.name === "postgres";
    const blobs = isShared ? createDatabaseBlobs({ ...engine, read: (work) => work(on) }) : store.blobs;
    const lines = generateBackupLines({ on, dialect: engine.dialect, blobs, now }, createCounts());
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
