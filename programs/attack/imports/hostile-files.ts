import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { generators, variedFormats } from "../../../tests/importers/generators/all.ts";
import type { Attack, Target } from "../attack.ts";
import { toStoreLocation } from "../served.ts";
import { createTrials, type Trials } from "../trials.ts";
import { hostileDatabases } from "./hostile-databases.ts";
import { variantNames } from "./hostile-variants.ts";
import type { HostileReport, HostileTask } from "./hostile-worker.ts";

/**
 * Imports hostile files of every format: six of the 36 kinds each, all kinds in turn, or with `--rounds 6` all of them. Each must end soon,
 * within bounded memory, and account for its items.
 */

const filesPerRound = 6;

/** CPU time for one file; the largest has three megabytes. */
const maxCpuMs = 10_000;
const maxHeapMb = 768;
const pollMs = 250;

export const hostileFiles: Attack = {
  name: "importing hostile files",
  engines: ["sqlite", "postgres"],
  async run(target) {
    const trials = createTrials();
    // PostgreSQL stores the same records; one format of each kind is enough there.
    const keys = generators
      .map(({ importer }) => importer.key)
      .filter((key) => target.engine === "sqlite" || variedFormats.has(key));
    let read = 0;
    const perFormat = Math.min(variantNames.length, filesPerRound * (target.rounds ?? 1));
    for (const [n, key] of [...new Set(keys)].entries()) {
      const chosen = Array.from({ length: perFormat }, (_, i) => (n * filesPerRound + i) % variantNames.length);
      const names = variantNames.filter((_, i) => chosen.includes(i));
      read += await importFamily(target, key, names, trials);
    }
    return trials.conclude(`hostile files of ${keys.length} formats ended well; ${read} items read from them`);
  },
};

export const hostileSchemas: Attack = {
  name: "importing hostile databases",
  engines: ["sqlite"],
  async run(target) {
    const trials = createTrials();
    const read = await importFamily(target, "databases", Object.keys(hostileDatabases), trials);
    return trials.conclude(`databases with hostile schemas or contents ended well; ${read} items read from them`);
  },
};

/** Starts a thread, and another after each file that had to be stopped. Answers how many items were read. */
async function importFamily(
  target: Target,
  family: string,
  variants: readonly string[],
  trials: Trials,
): Promise<number> {
  let read = 0;
  const dataDir = join(target.dataDir, family);
  mkdirSync(dataDir);
  let left = variants;
  const skipTo = (variant: string): void => {
    left = left.slice(left.indexOf(variant) + 1);
  };
  while (left.length > 0) {
    const task: HostileTask = { place: { ...toStoreLocation(target), dataDir }, family, variants: left };
    const result = await watchWorker(task, (report) => {
      const { variant = "", problem } = report;
      trials.note(`${family}, ${variant}: ${problem}`, problem === undefined);
      read += report.read ?? 0;
      skipTo(variant);
    });
    if (result.problem === undefined) return read;
    trials.note(`${family}, ${result.variant}: ${result.problem}`, false);
    if (result.variant === undefined) return read;
    skipTo(result.variant);
  }
  return read;
}

/** Resolves when the thread is done, failed, or was stopped. */
async function watchWorker(task: HostileTask, onDone: (report: HostileReport) => void): Promise<HostileReport> {
  const worker = new Worker(new URL("./hostile-worker.ts", import.meta.url), {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
  });
  let variant: string | undefined;
  let startCpuMs = 0;
  const readCpuMs = async (): Promise<number> => {
    const { user, system } = await worker.cpuUsage();
    return (user + system) / 1000;
  };
  let isOver = false;
  const ended = new Promise<HostileReport>((resolve) => {
    worker.on("message", (report: HostileReport) => {
      if (report.variant === undefined) return resolve(report);
      if (report.read === undefined) {
        variant = report.variant;
        void readCpuMs().then((ms) => {
          startCpuMs = ms;
        }, ignore);
      } else onDone(report);
    });
    worker.once("error", (error) => resolve({ variant, problem: String(error) }));
    const poll = async (): Promise<void> => {
      if (isOver) return;
      const cpuMs = (await readCpuMs()) - startCpuMs;
      if (variant !== undefined && cpuMs > maxCpuMs)
        resolve({ variant, problem: `not done after ${(cpuMs / 1000).toFixed(0)} s of CPU` });
      else setTimeout(() => void poll().catch(ignore), pollMs);
    };
    worker.once("online", () => void poll().catch(ignore));
  });
  const result = await ended;
  isOver = true;
  const gone = once(worker, "exit");
  await worker.terminate();
  await gone.catch(ignore);
  return result;
}

const ignore = (): void => undefined;
