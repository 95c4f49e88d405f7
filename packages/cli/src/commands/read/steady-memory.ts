import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const collectEveryBytes = 8 * 1024 * 1024;

/**
 * Passes blocks on, and has the engine collect what they left behind now and then. Bytes from a socket lie outside the heap, so
 * that by itself it lets a hundred megabytes of them pile up before it sees a reason to.
 */
export async function* steadyMemory(blocks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  let passed = 0;
  for await (const block of blocks) {
    yield block;
    passed += block.length;
    if (passed < collectEveryBytes) continue;
    passed = 0;
    collect();
  }
}
