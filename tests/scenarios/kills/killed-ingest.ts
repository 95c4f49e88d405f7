import { isDeepStrictEqual } from "node:util";
import { parseManifest } from "@pdpp/contract/manifest";
import { openStore, type StoreLocation } from "@pdpp/server/store/store";
import { addConnection } from "#server/owner/connections";
import { findIntegrityFaults } from "../../store/integrity.ts";
import { createScope, list } from "../../store/sample.ts";
import { runAndKill } from "./kill-process.ts";
import { computeState, type KillTask, manifest, stream } from "./kill-sequence.ts";

const script = new URL("./kill-writer.ts", import.meta.url);
const connectionId = "sequence";

/** Kills a process repeatedly during an ingest and checks the vault at intervals. Returns the problems found. */
export async function killIngests(location: StoreLocation, kills: number, looks: number): Promise<string[]> {
  const store = await openStore(location);
  await store.register(parseManifest(manifest), Date.now());
  await addConnection(store, 1, { connectorKey: "sequence", id: connectionId }, Date.now());
  await store.close();
  const faults: string[] = [];
  let from = 0;
  for (let kill = 1; kill <= kills; kill += 1) {
    const task: KillTask = { location, connectionId, from };
    from = Number(await runAndKill(script, task, Math.random() * 60));
    if (kill % looks === 0) faults.push(...(await findProblems(location, from)));
  }
  if (from <= kills * 20) faults.push(`only ${from} steps were acknowledged`);
  return faults;
}

async function findProblems(location: StoreLocation, acknowledged: number): Promise<string[]> {
  const store = await openStore(location);
  try {
    const held = await list(store, await createScope(store, [connectionId], stream));
    const state = new Map(held.map(({ key, data }): [string, { step: number }] => [key, JSON.parse(data ?? "null")]));
    // The batch in flight may be stored without an acknowledgement, but only completely.
    const reached = Math.max(acknowledged, ...[...state.values()].map(({ step }) => step + 1));
    const possible = Array.from({ length: 12 }, (_, more) => computeState(reached + more));
    const isKept = possible.some((wanted) => isDeepStrictEqual(wanted, state));
    return [
      ...(isKept ? [] : [`not what was acknowledged up to ${acknowledged}`]),
      ...(await findIntegrityFaults(store)),
    ];
  } finally {
    await store.close();
  }
}
