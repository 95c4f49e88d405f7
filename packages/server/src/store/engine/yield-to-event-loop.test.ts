import { expect, it } from "vitest";
import { waitForLoopTurn, yieldToEventLoop } from "./yield-to-event-loop.ts";

/** Counts how often each turn of the event loop continued a long loop. */
async function countPerTurn(loops: number, step: () => Promise<void> | undefined): Promise<number[]> {
  const perTurn: number[] = [];
  let inThisTurn = 0;
  let isOver = false;
  const endTurn = (): void => {
    perTurn.push(inThisTurn);
    inThisTurn = 0;
    if (!isOver) setImmediate(endTurn);
  };
  setImmediate(endTurn);
  const runLoop = async (): Promise<void> => {
    for (let n = 0; n < 5; n += 1) {
      const until = performance.now() + 6;
      while (performance.now() < until);
      await step();
      inThisTurn += 1;
    }
  };
  await Promise.all(Array.from({ length: loops }, runLoop));
  isOver = true;
  return perTurn;
}

it("[FAIR-6] continues one long loop per turn of the event loop, however many there are", async () => {
  for (const step of [yieldToEventLoop, waitForLoopTurn]) {
    const perTurn = await countPerTurn(6, step);
    expect(perTurn.reduce((sum, n) => sum + n, 0)).toBeGreaterThan(20);
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(1);
  }
});

it("[FAIR-6] continues long loops in the order in which they paused", async () => {
  const order: string[] = [];
  const run = async (name: string): Promise<void> => {
    for (let n = 0; n < 3; n += 1) {
      await waitForLoopTurn();
      order.push(name);
    }
  };
  await Promise.all(["a", "b", "c"].map(run));
  expect(order.join("")).toBe("abcabcabc");
});
