import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, get } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { type Attack, prepare, type Target } from "../attack.ts";
import { scaleLimit, startControlServer } from "../control-server.ts";
import { startServing } from "../served.ts";
import { getPercentile } from "../times.ts";
import type { CrowdTask } from "./crowd-client.ts";
import { buildNoteId, fillCrowdVault } from "./crowd-vault.ts";

/** One client does its worst while another keeps reading. */

const reads = { p99: 100 };
/** No stall is longer, for anything that only needs the event loop. */
const health = { p99: 50, longest: 500 };
/** For the server and its threads: eight clients that never read were each sent sixty megabytes. */
const maxMb = 2500;
const minReads = 30;
const notes = 60_000;

export const crowd: Attack = {
  name: "keeping the server busy",
  engines: ["sqlite", "postgres"],
  async run(target) {
    const measured = await measureUnderLoad(target, {
      notes,
      mails: 2,
      mailBytes: 60_000_000,
      seconds: 12,
    });
    const { readMs, healthMs, controlMs, peakMb, deeds } = measured;
    const scale = scaleLimit(1, controlMs.p99);
    return {
      held:
        scale === undefined
          ? "not tried"
          : readMs.p99 < scale * reads.p99 &&
            healthMs.p99 < scale * health.p99 &&
            healthMs.longest < scale * health.longest + controlMs.longest &&
            peakMb < maxMb,
      figure:
        `one record p50 ${readMs.p50.toFixed(1)} ms, p99 ${readMs.p99.toFixed(1)} ms of ${readMs.count}; /healthz p99 ` +
        `${healthMs.p99.toFixed(1)} ms, longest ${healthMs.longest.toFixed(0)} ms, of a control server ${controlMs.p99.toFixed(1)} and ${controlMs.longest.toFixed(0)} ms; ${peakMb.toFixed(0)} MB at most; ${deeds} requests by the other client`,
    };
  },
};

export interface CrowdSize {
  readonly notes: number;
  readonly mails: number;
  readonly mailBytes: number;
  readonly seconds: number;
}

interface Times {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
}

/** Measures single reads of one client while another does its worst. */
export async function measureUnderLoad(
  target: Target,
  { notes, mails, mailBytes, seconds }: CrowdSize,
): Promise<{ readMs: Times; healthMs: Times; controlMs: Times; peakMb: number; deeds: number }> {
  const [worst = "", other = ""] = await prepare(fillCrowdVault(target, { notes, mails, mailBytes, clients: 2 }));
  const { url, process: server, stop } = await startServing(target);
  const control = await startControlServer();
  const agent = new Agent({ keepAlive: true });
  try {
    const read = (n: number) => timeRequest(new URL(`/v1/streams/notes/records/${buildNoteId(n)}`, url), agent, other);
    for (let n = 0; n < 50; n += 1) await read(n);
    const workerData: CrowdTask = { url: url.href, token: worst, mails };
    const client = new Worker(new URL("./crowd-client.ts", import.meta.url), { workerData });
    await pause(1000);
    const [readMs, healthMs, controlMs]: [number[], number[], number[]] = [[], [], []];
    let peakMb = 0;
    for (let n = 0, until = Date.now() + seconds * 1000; Date.now() < until || n < minReads; n += 1) {
      readMs.push(await read((n * 7919) % notes));
      healthMs.push(await timeRequest(new URL("/healthz", url), agent, other));
      controlMs.push(await timeRequest(control.url, agent, other));
      if (n % 20 === 0) peakMb = Math.max(peakMb, readMemory(server.pid));
      await pause(5);
    }
    client.postMessage("over");
    const [deeds]: unknown[] = await once(client, "message");
    return {
      readMs: summarizeTimes(readMs),
      healthMs: summarizeTimes(healthMs),
      controlMs: summarizeTimes(controlMs),
      peakMb,
      deeds: Number(deeds),
    };
  } finally {
    agent.destroy();
    control.stop();
    await stop();
  }
}

export function timeRequest(url: URL, agent: Agent, token?: string): Promise<number> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const request = get(url, { agent, headers }, (answer) => {
      answer.resume();
      if (answer.statusCode !== 200) return reject(new Error(`${url.pathname} returned ${answer.statusCode}`));
      answer.once("end", () => resolve(performance.now() - began));
    });
    request.once("error", (error) => {
      // On a busy machine, a server closes an idle connection at the moment when it is used again.
      if (request.reusedSocket && "code" in error && error.code === "ECONNRESET")
        timeRequest(url, agent, token).then(resolve, reject);
      else reject(error);
    });
  });
}

function summarizeTimes(times: readonly number[]): Times {
  return {
    count: times.length,
    p50: getPercentile(times, 0.5),
    p99: getPercentile(times, 0.99),
    longest: getPercentile(times, 1),
  };
}

/** In megabytes; 0 where the system does not report it. */
export function readMemory(pid: number | undefined): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
