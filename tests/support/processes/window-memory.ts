import { openStore, type StoreLocation } from "@pdpp/server/store/store";
import { authenticate } from "../../../packages/server/src/auth/authenticate.ts";
import { createReader } from "../../../packages/server/src/read/reader.ts";

/**
 * Child process: reads windows of a very long text and reports the memory used. Runs with --expose-gc and with less memory than the text
 * needs.
 */

export interface MemoryTask {
  readonly location: StoreLocation;
  readonly token: string;
  readonly now: number;
  readonly input: { readonly stream: string; readonly record_id: string; readonly field: string };
  readonly chars: number;
  /** Reads before measuring starts. */
  readonly warmUp: number;
  readonly last: string;
}

export interface MemoryReport {
  /** Peak bytes above the baseline. */
  readonly heapGrowth: number;
  readonly rssGrowth: number;
  readonly searchRssGrowth: number;
  readonly foundAt: number | null;
}

const task = JSON.parse(process.argv[2]!) as MemoryTask;
const store = await openStore(task.location);
const reader = createReader({ store, scope: await authenticate(store, task.token, task.now) });
const collect = (globalThis as unknown as { gc(): void }).gc;

async function readWindows(count: number, seed: number): Promise<{ heap: number; rss: number }> {
  let [heap, rss] = [0, 0];
  for (let i = 0; i < count; i += 1) {
    const offset = ((seed + i) * 7_919_993) % task.chars;
    await reader.readField({ ...task.input, offset_chars: offset, limit_chars: 4096 });
    if (i % 50 === 49) {
      collect();
      const used = process.memoryUsage();
      [heap, rss] = [Math.max(heap, used.heapUsed + used.external), Math.max(rss, used.rss)];
    }
  }
  return { heap, rss };
}

// Fill the engine's page cache first (32 MB per connection): it is used regardless of what is read.
const before = await readWindows(task.warmUp, 1);
const after = await readWindows(1000, task.warmUp + 1000);
const found = await reader.readField({ ...task.input, q: task.last });
const report: MemoryReport = {
  heapGrowth: after.heap - before.heap,
  rssGrowth: after.rss - before.rss,
  searchRssGrowth: process.memoryUsage().rss - after.rss,
  foundAt: found.window.match_start_chars,
};
process.stdout.write(JSON.stringify(report));
await store.close();
