import { createOwner } from "@pdpp/server/owner/owner";
import { openStore, type StoreLocation } from "@pdpp/server/store/store";
import { connectNotes, generateNotes, place } from "@pdpp/test-support/vaults/many-notes";
import { findIntegrityFaults } from "../../store/integrity.ts";
import { runAndKill } from "./kill-process.ts";

const script = new URL("./kill-backfill.ts", import.meta.url);
const notes = 1500;

/** Kills a process repeatedly while it registers and backfills manifests. Returns the problems found afterwards. */
export async function killBackfills(location: StoreLocation, kills: number): Promise<string[]> {
  const store = await openStore(location);
  const owner = await connectNotes(store);
  await owner.records.ingest(place, generateNotes(notes));
  await store.close();
  for (let n = 0; n < kills; n += 1) await runAndKill(script, location, Math.random() * 250);
  return findProblems(location);
}

/** The next start continues by itself. Afterwards everything must exist exactly once. */
async function findProblems(location: StoreLocation): Promise<string[]> {
  const store = await openStore(location);
  try {
    await store.reindex();
    const faults = (await findIntegrityFaults(store)).map(String);
    if ((await store.catalog()).connectors.get("notes")?.reindexing) faults.push("a manifest still waits");
    const reader = await createOwner({ store, ownerNo: 1, now: Date.now }).reader();
    let held = 0;
    for await (const record of reader.export({})) if (record.id !== "") held += 1;
    if (held !== notes) faults.push(`${held} of ${notes} records`);
    const { data } = await reader.search({ q: "title", limit: 10 });
    if (data.length === 0) faults.push("nothing is found");
    return faults;
  } finally {
    await store.close();
  }
}
