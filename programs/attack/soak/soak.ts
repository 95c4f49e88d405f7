import { once } from "node:events";
import { mkdirSync, rmSync } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { type Attack, prepare } from "../attack.ts";
import { startControlServer } from "../control-server.ts";
import { readMemory, timeRequest } from "../crowd/crowd.ts";
import { fillCrowdVault } from "../crowd/crowd-vault.ts";
import { startServing } from "../served.ts";
import { importMailbox } from "../stops/mixed-load.ts";
import { getPercentile } from "../times.ts";
import { signIn } from "../web/visitor.ts";
import type { ReadersTask } from "./readers.ts";

/** Eight readers and imports without a pause: memory must level off, and the server must go on answering. */

const defaultMinutes = 10;
const notes = 20_000;
const readers = 8;
const mailsPerImport = 5000;
/** Of the control server's p99. */
const maxRatio = 3;
/** Between the third and the fourth quarter; garbage collection moves the figure by more than a few megabytes. */
const maxGrowth = 0.1;
const everyMs = 50;

export const soak: Attack = {
  name: "a soak with eight readers and imports",
  engines: ["sqlite", "postgres"],
  isLong: true,
  async run(target) {
    const tokens = await prepare(fillCrowdVault(target, { notes, mails: 0, mailBytes: 0, clients: readers }));
    const server = await startServing(target);
    const control = await startControlServer();
    const agent = new Agent({ keepAlive: true });
    const folder = join(target.dataDir, "mailboxes");
    mkdirSync(folder);
    const workerData: ReadersTask = { url: server.url.href, tokens, notes };
    const crowd = new Worker(new URL("./readers.ts", import.meta.url), { workerData });
    const person = await signIn(server);
    let [imports, isOver] = [0, false];
    const importing = (async () => {
      for (let n = 0; !isOver; n += 1) {
        const ids = Array.from({ length: mailsPerImport }, (_, mail) => `soak-${n}-${mail}@load.example`);
        const file = join(folder, `${n}.mbox`);
        if (await importMailbox(server.url.origin, person, file, ids)) imports += 1;
        rmSync(file);
      }
    })();
    // It fails when the server is stopped, also before anybody waits for it.
    importing.catch(() => undefined);
    const memory: number[] = [];
    const [healthMs, controlMs]: [number[], number[]] = [[], []];
    try {
      const until = Date.now() + (target.minutes ?? defaultMinutes) * 60_000;
      for (let n = 0; Date.now() < until; n += 1) {
        healthMs.push(await timeRequest(new URL("/healthz", server.url), agent));
        controlMs.push(await timeRequest(control.url, agent));
        if (n % 20 === 0) memory.push(readMemory(server.process.pid));
        await pause(everyMs);
      }
      isOver = true;
      crowd.postMessage("over");
      const [counts]: { answered: number; refused: number; failed: number }[] = await once(crowd, "message");
      await importing;
      const quarter = Math.floor(memory.length / 4);
      const [third, fourth] = [memory.slice(2 * quarter, 3 * quarter), memory.slice(3 * quarter)].map((part) =>
        getPercentile(part, 0.5),
      );
      const growth = (fourth ?? 0) / (third ?? 1) - 1;
      const [health, machine] = [getPercentile(healthMs, 0.99), getPercentile(controlMs, 0.99)];
      const { answered = 0, refused = 0, failed = 0 } = counts ?? {};
      return {
        held: growth < maxGrowth && health <= maxRatio * machine && failed === 0 && answered > 0 && imports > 0,
        figure:
          `${answered} reads answered, ${refused} refused, ${failed} failed; ${imports} imports of ${mailsPerImport} mails; memory ${third?.toFixed(0)} MB in the third quarter, ` +
          `${fourth?.toFixed(0)} MB in the fourth, ${Math.max(...memory).toFixed(0)} MB at most; /healthz p99 ${health.toFixed(1)} ms of ${healthMs.length}, of a control server ${machine.toFixed(1)} ms`,
      };
    } finally {
      isOver = true;
      await crowd.terminate();
      agent.destroy();
      control.stop();
      await server.stop();
      await Promise.allSettled([importing]);
    }
  },
};
