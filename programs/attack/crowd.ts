import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, get } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { Attack, Target } from "./attack.ts";
import type { CrowdTask } from "./crowd-client.ts";
import { buildNoteId, fillCrowdVault } from "./crowd-vault.ts";
import { startServing } from "./served.ts";

/** One client does its worst while another keeps reading. */

const reads = { p99: 100 };
const health = { p99: 50 };
/** For the server and its threads: eight clients that never read were each sent sixty megabytes. */
const maxMb = 2500;
const minReads = 30;

export const crowd: Attack = {
  name: "keeping the server busy",
  engines: ["sqlite", "postgres"],
  async run(target) {
    const measured = await measureUnderLoad(target, { notes: 200_000, mails: 2, mailBytes: 60_000_000, seconds: 12 });
    const { readMs, healthMs, peakMb, deeds } = measured;
    return {
      held: readMs.p99 < reads.p99 && healthMs.p99 < health.p99 && peakMb < maxMb,
      figure:
        `one record p50 ${readMs.p50.toFixed(1)} ms, p99 ${readMs.p99.toFixed(1)} ms of ${readMs.count}; /healthz p99 ` +
        `${healthMs.p99.toFixed(1)} ms; ${peakMb.toFixed(0)} MB at most; ${deeds} requests by the other client`,
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
}

/** Measures single reads of one client while another does its worst. */
export async function measureUnderLoad(
  target: Target,
  { notes, mails, mailBytes, seconds }: CrowdSize,
): Promise<{ readMs: Times; healthMs: Times; peakMb: number; deeds: number }> {
  const [worst = "", other = ""] = await fillCrowdVault(target, { notes, mails, mailBytes, clients: 2 });
  const { url, process: server, stop } = await startServing(target);
  const agent = new Agent({ keepAlive: true });
  try {
    const read = (n: number) => timeRequest(new URL(`/v1/streams/notes/records/${buildNoteId(n)}`, url), agent, other);
    for (let n = 0; n < 50; n += 1) await read(n);
    const workerData: CrowdTask = { url: url.href, token: worst, mails };
    const client = new Worker(new URL("./crowd-client.ts", import.meta.url), { workerData });
    await pause(1000);
    const [readMs, healthMs]: [number[], number[]] = [[], []];
    let peakMb = 0;
    for (let n = 0, until = Date.now() + seconds * 1000; Date.now() < until || n < minReads; n += 1) {
      readMs.push(await read((n * 7919) % notes));
      healthMs.push(await timeRequest(new URL("/healthz", url), agent, other));
      if (n % 20 === 0) peakMb = Math.max(peakMb, readMemory(server.pid));
      await pause(5);
    }
    client.postMessage("over");
    const [deeds]: unknown[] = await once(client, "message");
    return { readMs: summarizeTimes(readMs), healthMs: summarizeTimes(healthMs), peakMb, deeds: Number(deeds) };
  } finally {
    agent.destroy();
    await stop();
  }
}

function timeRequest(url: URL, agent: Agent, token: string): Promise<number> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    get(url, { agent, headers: { authorization: `Bearer ${token}` } }, (answer) => {
      answer.resume();
      if (answer.statusCode !== 200) return reject(new Error(`${url.pathname} returned ${answer.statusCode}`));
      answer.once("end", () => resolve(performance.now() - began));
    }).once("error", reject);
  });
}

function summarizeTimes(times: readonly number[]): Times {
  const sorted = [...times].sort((a, b) => a - b);
  const getPercentile = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { count: sorted.length, p50: getPercentile(0.5), p99: getPercentile(0.99) };
}

/** In megabytes; 0 where the system does not report it. */
function readMemory(pid: number | undefined): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
