import { setTimeout as wait } from "node:timers/promises";
import { PdppError } from "@pdpp/contract/errors";
import { listOwnerRows } from "../store/access/owners.ts";
import { listConnections } from "../store/catalog/connections.ts";
import { loadHorizon } from "../store/records/changes.ts";
import type { Store } from "../store/store.ts";
import { buildPeople } from "./build-people.ts";
import { followSources } from "./derive.ts";

/** Leaves the processor to the first requests. */
const startAfterMs = 2000;
const checkEveryMs = 5000;
/** Between two pages of a long walk: about a tenth of one processor. */
const restMs = 20;
const dayMs = 86_400_000;

/** Derives people at the start and whenever records have changed, by whichever process, until the signal. */
export async function derivePeopleInBackground(
  store: Store,
  onBug: (error: unknown) => void,
  closing: AbortSignal,
): Promise<void> {
  const pause = (ms: number): Promise<void> =>
    wait(ms, undefined, { signal: closing, ref: false }).catch(() => undefined);
  const seen = new Map<number, string>();
  await pause(startAfterMs);
  while (!closing.aborted) {
    try {
      for (const { no } of await store.engine.read(listOwnerRows)) {
        if (closing.aborted) return;
        const state = await describeState(store, no);
        if (seen.get(no) === state) continue;
        const isNewDay = seen.get(no)?.split(" ")[0] !== state.split(" ")[0];
        const hasChanged = await followSources(store, { ownerNo: no, signal: closing, rest: () => pause(restMs) });
        if (closing.aborted) return;
        if (isNewDay || hasChanged) await buildPeople(store, no, Date.now());
        seen.set(no, state);
      }
    } catch (error) {
      if (closing.aborted) return;
      if (!(error instanceof PdppError) || error.code !== "unavailable") onBug(error);
    }
    await pause(checkEveryMs);
  }
}

/** Changes with the day, with records, and with sources. */
const describeState = (store: Store, ownerNo: number): Promise<string> =>
  store.engine.read(async (on) => {
    const { current } = await loadHorizon(on, ownerNo);
    const connections = await listConnections(on, ownerNo);
    return `${Math.floor(Date.now() / dayMs)} ${current} ${connections.map(({ no }) => no).join(",")}`;
  });
