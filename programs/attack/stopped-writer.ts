import { setTimeout as wait } from "node:timers/promises";
import { startStoppedWriter } from "@pdpp/test-support/processes/stopped-writer";
import type { Attack } from "./attack.ts";
import { asOwner, everyNote, fillWithNotes, startServing } from "./served.ts";

const rounds = 20;
const stoppedMs = 700;
const slowestMs = 500;

/** Another process repeatedly takes the write lock and is suspended while the server handles requests. */
export const aStoppedWriter: Attack = {
  name: "suspending a process that holds the write lock",
  engines: ["sqlite"],
  async run(target) {
    const token = await asOwner(target, async (owner) => {
      await fillWithNotes(owner, 200, 500);
      return (await owner.grants.issue(everyNote)).token;
    });
    const server = await startServing(target);
    const times: number[] = [];
    let failed = 0;
    const ask = async (path: string) => {
      const began = performance.now();
      const answer = await fetch(new URL(path, server.url), { headers: { authorization: `Bearer ${token}` } });
      await answer.arrayBuffer();
      if (answer.status !== 200) failed += 1;
      times.push(performance.now() - began);
    };
    try {
      for (let round = 0; round < rounds; round += 1) {
        const other = await startStoppedWriter(target.dataDir);
        try {
          for (const until = Date.now() + stoppedMs; Date.now() < until; await wait(5)) {
            await Promise.all([ask("/healthz"), ask("/v1/streams/notes/records?limit=20")]);
          }
          await other.resume();
        } finally {
          other.kill();
        }
      }
    } finally {
      await server.stop();
    }
    times.sort((a, b) => a - b);
    const p99 = times[Math.floor(times.length * 0.99)] ?? 0;
    const slowest = times.at(-1) ?? 0;
    return {
      held: failed === 0 && slowest < slowestMs,
      figure: `${times.length} requests in ${rounds} stops, p99 ${p99.toFixed(0)} ms, slowest ${slowest.toFixed(0)} ms, ${failed} failed`,
    };
  },
};
