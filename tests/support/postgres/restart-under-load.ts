import { setTimeout as wait } from "node:timers/promises";
import { PdppError } from "@pdpp/contract/errors";
import { createOwner } from "@pdpp/server/owner/owner";
import type { Store } from "@pdpp/server/store/store";
import { connectNotes, generateNotes, place } from "../vaults/many-notes.ts";
import type { PostgresServer } from "./embedded-postgres.ts";

/** Observations of readers and a writer while the server restarted. */
export interface RestartObservations {
  /** Acknowledged records that were lost. */
  readonly lost: readonly string[];
  readonly otherFaults: readonly unknown[];
  /** How often a caller got the error that the database is unavailable. */
  readonly unavailable: number;
  readonly acknowledged: number;
  /** How long after the restart reads and writes both succeeded again. */
  readonly resumedMs: number;
}

const batch = 50;

export async function restartUnderLoad(
  store: Store,
  server: PostgresServer,
  restarts = 1,
): Promise<RestartObservations> {
  const isNew = !(await store.catalog()).connectors.has("notes");
  const owner = isNew ? await connectNotes(store) : createOwner({ store, ownerNo: 1, now: Date.now });
  const otherFaults: unknown[] = [];
  const acknowledged: number[] = [];
  let unavailable = 0;
  let isOver = false;
  let [lastRead, lastWrite] = [0, 0];
  const note = async (error: unknown) => {
    if (error instanceof PdppError && error.code === "unavailable") unavailable += 1;
    else otherFaults.push(error);
    await wait(20);
  };
  const write = async () => {
    for (let n = 0; !isOver; n += batch) {
      try {
        await owner.records.ingest(place, generateNotes(batch, n));
        acknowledged.push(n);
        lastWrite = Date.now();
      } catch (error) {
        await note(error);
      }
    }
  };
  const read = async () => {
    while (!isOver) {
      try {
        const reader = await owner.reader();
        await reader.queryRecords({ stream: place.stream, limit: 20 });
        lastRead = Date.now();
      } catch (error) {
        await note(error);
      }
    }
  };
  const load = Promise.all([write(), read(), read(), read()]);
  let resumedMs = 0;
  try {
    for (let n = 0; n < restarts; n += 1) {
      await wait(300);
      await server.pause();
      await server.resume();
      const back = Date.now();
      while (Math.min(lastRead, lastWrite) < back && Date.now() - back < 300_000) await wait(20);
      resumedMs = Math.max(
        resumedMs,
        Math.min(lastRead, lastWrite) < back ? Number.POSITIVE_INFINITY : Date.now() - back,
      );
    }
  } finally {
    isOver = true;
    await load;
  }
  const held = new Set<string>();
  for await (const { id } of (await owner.reader()).export({ stream: place.stream })) held.add(id);
  const lost = acknowledged
    .flatMap((n) => Array.from({ length: batch }, (_, i) => `k${n + i}`))
    .filter((id) => !held.has(id));
  return { lost, otherFaults, unavailable, acknowledged: acknowledged.length * batch, resumedMs };
}
