import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseManifest } from "@pdpp/contract/manifest";
import { openStore } from "@pdpp/server/store/store";
import { describe, expect, it } from "vitest";
import { addConnection } from "#server/owner/connections";
import { integrityFaults } from "#server/store/conformance/integrity";
import { list, scopeOf } from "#server/store/conformance/sample";
import { cases } from "../support/long-runs.ts";
import { quickStart } from "../support/quick-start.ts";
import { newVault } from "../support/vaults.ts";
import { type KillTask, manifest, stateAfter, stream } from "./kill-sequence.ts";

const script = fileURLToPath(new URL("./kill-writer.ts", import.meta.url));

/** Lets a writer go on for a random moment after its first batch, then kills it. Answers up to which step it said it was safe. */
function killed(task: KillTask, moment: number): Promise<number> {
  const writer = spawn(process.execPath, [script, JSON.stringify(task)], {
    env: quickStart,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  let complaint = "";
  writer.stdout.on("data", (text) => {
    if (said === "") setTimeout(() => writer.kill("SIGKILL"), moment);
    said += text;
  });
  writer.stderr.on("data", (text) => {
    complaint += text;
  });
  return new Promise((resolve, reject) =>
    writer.on("close", (_code, signal) => {
      if (signal !== "SIGKILL") reject(new Error(`the writer ended by itself: ${complaint}`));
      // A last line without its end was cut off by the kill.
      else resolve(Number(said.slice(0, said.lastIndexOf("\n")).split("\n").at(-1)));
    }),
  );
}

describe.concurrent.each([
  { engine: "sqlite", kills: cases(15, 50), looks: 5 },
  { engine: "postgres", kills: cases(4, 10), looks: 2 },
] as const)("[accept 6] kill -9 on $engine", ({ engine, kills, looks }) => {
  it(`loses nothing acknowledged and tears nothing, ${kills} times over`, { timeout: 120_000 }, async () => {
    const vault = await newVault(engine);
    try {
      const { store } = vault;
      await store.register(parseManifest(manifest), Date.now());
      await addConnection(store, 1, { connectorKey: "sequence", id: "home" }, Date.now());
      const location = {
        dataDir: vault.dataDir,
        ...(vault.databaseUrl === undefined ? {} : { databaseUrl: vault.databaseUrl }),
      };
      let from = 0;
      for (let kill = 1; kill <= kills; kill += 1) {
        from = await killed({ location, connectionId: "home", from }, Math.random() * 60);
        if (kill % looks === 0) await lookAt(location, from);
      }
      expect(from).toBeGreaterThan(kills * 20);
    } finally {
      await vault.drop();
    }
  });
});

async function lookAt(location: KillTask["location"], acknowledged: number): Promise<void> {
  const store = await openStore(location);
  try {
    const held = await list(store, await scopeOf(store, ["home"], stream));
    const state = new Map(held.map(({ key, data }) => [key, JSON.parse(data) as { step: number }]));
    // The batch in flight may have been stored without being said, whole or not at all.
    const reached = Math.max(acknowledged, ...[...state.values()].map(({ step }) => step + 1));
    const possible = Array.from({ length: 12 }, (_, more) => stateAfter(reached + more));
    expect(possible).toContainEqual(state);
    expect(await integrityFaults(store)).toEqual([]);
  } finally {
    await store.close();
  }
}
