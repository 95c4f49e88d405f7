import { setTimeout as pause } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { heavyReads, lightReads } from "../stops/mixed-load.ts";

/** Readers that ask one thing after the other. They have a thread of their own, so that they do not delay the measurements. */

export interface ReadersTask {
  readonly url: string;
  readonly tokens: readonly string[];
  readonly notes: number;
}

const { url, tokens, notes }: ReadersTask = workerData;
const paths = [...lightReads, ...heavyReads];
const counts = { answered: 0, refused: 0, failed: 0 };
let isOver = false;

async function read(token: string, path: string): Promise<void> {
  try {
    const answer = await fetch(new URL(path, url), { headers: { authorization: `Bearer ${token}` } });
    await answer.arrayBuffer();
    if (answer.status === 200) counts.answered += 1;
    else if (answer.status < 500 || answer.status === 503) counts.refused += 1;
    else counts.failed += 1;
  } catch {
    counts.failed += 1;
  }
}

const readers = tokens.map(async (token, first) => {
  for (let n = first; !isOver; n += 1) {
    await read(token, paths[n % paths.length]?.(n, notes) ?? "/v1/streams");
    await pause(5);
  }
});
parentPort?.once("message", async () => {
  isOver = true;
  await Promise.all(readers);
  parentPort?.postMessage(counts);
  parentPort?.close();
});
