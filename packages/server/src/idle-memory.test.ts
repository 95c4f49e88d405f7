import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { releaseMemoryWhenIdle } from "./idle-memory.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("[FAIR-7] returns memory to the system once after each busy time, and not while requests come", () => {
  let collected = 0;
  const memory = releaseMemoryWhenIdle(() => {
    collected += 1;
  }, 1000);
  vi.advanceTimersByTime(5000);
  expect(collected).toBe(1);
  for (let n = 0; n < 20; n += 1) {
    memory.noteGarbage();
    vi.advanceTimersByTime(500);
  }
  expect(collected).toBe(1);
  vi.advanceTimersByTime(5000);
  expect(collected).toBe(2);
  memory.close();
  memory.noteGarbage();
  vi.advanceTimersByTime(5000);
  expect(collected).toBe(2);
});
