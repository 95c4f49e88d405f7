import { statSync } from "node:fs";
import { openStore } from "@pdpp/server/store/store";
import { type LoopDelay, measureLoopCpu } from "@pdpp/test-support/processes/event-loop";
import { connectNotes, generateNotes, newerManifest, place } from "@pdpp/test-support/vaults/many-notes";
import type { Attack } from "./attack.ts";

/** PostgreSQL writes more slowly, but not more slowly as records grow. */
const records = { sqlite: 60_000, postgres: 20_000 };
const bodyWords = 8;
/** In CPU time of the main thread, which other processes do not affect. */
const allowed: LoopDelay = { p99: 50, longest: 500 };
const allowedLog = 200 * 1024 * 1024;

/** Runs every long operation in turn and measures how long it blocks the event loop. */
export const aBusyWriter: Attack = {
  name: "blocking the event loop with long operations",
  engines: ["sqlite", "postgres"],
  async run({ engine, dataDir, databaseUrl }) {
    const store = await openStore({ dataDir, ...(databaseUrl === undefined ? {} : { databaseUrl }) });
    let longestLog = 0;
    const watch = setInterval(() => {
      longestLog = Math.max(longestLog, statSync(`${dataDir}/vault.db-wal`, { throwIfNoEntry: false })?.size ?? 0);
    }, 20);
    const delays: [string, LoopDelay][] = [];
    const measureDelay = async (name: string, work: () => Promise<unknown>) =>
      delays.push([name, await measureLoopCpu(work)]);
    try {
      const owner = await connectNotes(store);
      await measureDelay("ingest", () => owner.records.ingest(place, generateNotes(records[engine], 0, bodyWords)));
      await store.register(newerManifest, Date.now());
      await measureDelay("backfill", () => store.reindex());
      await measureDelay("export", async () => {
        for await (const record of (await owner.reader()).export({})) void record;
      });
      await measureDelay("delete", () => owner.records.delete(place));
      await measureDelay("sweep", () => store.sweep());
    } finally {
      clearInterval(watch);
      await store.close();
    }
    const held =
      delays.every(([, { p99, longest }]) => p99 < allowed.p99 && longest < allowed.longest) && longestLog < allowedLog;
    const figures = delays.map(([name, { p99, longest }]) => `${name} ${p99.toFixed(0)} (${longest.toFixed(0)})`);
    const log = engine === "sqlite" ? `; the log up to ${(longestLog / 1024 / 1024).toFixed(0)} MB` : "";
    return { held, figure: `${records[engine]} records, p99 (longest) in ms of CPU: ${figures.join(", ")}${log}` };
  },
};
