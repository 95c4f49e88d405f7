import { setImmediate as nextTurn } from "node:timers/promises";

const sliceMs = 5;

/**
 * For loops that compute for long in the main thread: called at each step, it has something to wait for when a slice of time is
 * over, so that whoever else has something to do comes in between.
 */
export function turns(): () => Promise<void> | undefined {
  let began = performance.now();
  return () => {
    if (performance.now() - began < sliceMs) return undefined;
    return nextTurn().then(() => {
      began = performance.now();
    });
  };
}
