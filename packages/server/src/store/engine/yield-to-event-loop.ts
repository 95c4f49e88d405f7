import { setImmediate } from "node:timers/promises";

const sliceMs = 5;
let sliceStart = performance.now();

/**
 * Long loops call it at each step: `await yieldToEventLoop()`. Once 5 ms have passed since this thread last yielded, it lets other work
 * run; until then it returns undefined, so that a step costs almost nothing.
 */
export function yieldToEventLoop(): Promise<void> | undefined {
  if (performance.now() - sliceStart < sliceMs) return undefined;
  return setImmediate().then(() => {
    sliceStart = performance.now();
  });
}
