const sliceMs = 5;
let sliceStart = performance.now();
const waiting: (() => void)[] = [];

/**
 * Long loops call it at each step: `await yieldToEventLoop()`. Once 5 ms have passed since a long loop of this thread last continued, it
 * lets other work run; until then it returns undefined, so that a step costs almost nothing.
 */
export function yieldToEventLoop(): Promise<void> | undefined {
  return performance.now() - sliceStart < sliceMs ? undefined : waitForLoopTurn();
}

/** Long loops continue one per turn of the event loop, however many there are, so that a request waits for one slice at most. */
export function waitForLoopTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(continueNext);
  });
}

function continueNext(): void {
  const next = waiting.shift();
  if (waiting.length > 0) setImmediate(continueNext);
  sliceStart = performance.now();
  next?.();
}
