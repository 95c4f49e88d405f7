import { setTimeout as wait } from "node:timers/promises";
import { startStoppedWriter } from "@pdpp/test-support/processes/stopped-writer";
import type { Attack } from "./attack.ts";
import { scaleLimit, startControlServer } from "./control-server.ts";
import { asOwner, everyNote, fillWithNotes, startServing } from "./served.ts";
import { getPercentile } from "./times.ts";

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
    const control = await startControlServer();
    const controlTimes: number[] = [];
    const times: number[] = [];
    let failed = 0;
    const ask = async (path: string) => {
      const began = performance.now();
      const answer = await fetch(new URL(path, server.url), { headers: { authorization: `Bearer ${token}` } });
      await answer.arrayBuffer();
      if (answer.status !== 200) failed += 1;
      times.push(performance.now() - began);
    };
    const askControl = async () => {
      const began = performance.now();
      await (await fetch(control.url)).arrayBuffer();
      controlTimes.push(performance.now() - began);
    };
    try {
      for (let round = 0; round < rounds; round += 1) {
        const other = await startStoppedWriter(target.dataDir);
        try {
          for (const until = Date.now() + stoppedMs; Date.now() < until; await wait(5)) {
            await Promise.all([ask("/healthz"), ask("/v1/streams/notes/records?limit=20"), askControl()]);
          }
          await other.resume();
        } finally {
          other.kill();
        }
      }
    } finally {
      control.stop();
      await server.stop();
    }
    const [p99, slowest, controlP99] = [
      getPercentile(times, 0.99),
      getPercentile(times, 1),
      getPercentile(controlTimes, 0.99),
    ];
    // A request that waits for the lock takes as long as the server waits for locks, which is much longer.
    const limit = scaleLimit(slowestMs, controlP99);
    return {
      held: failed > 0 ? false : limit === undefined ? "not tried" : slowest < limit,
      figure: `${times.length} requests in ${rounds} stops, p99 ${p99.toFixed(0)} ms, slowest ${slowest.toFixed(0)} ms (p99 of a control server ${controlP99.toFixed(0)} ms), ${failed} failed`,
    };
  },
};
