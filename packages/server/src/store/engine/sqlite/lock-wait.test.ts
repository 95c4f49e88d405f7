import { afterEach, expect, it, vi } from "vitest";
import { computeDeadline, retryWhileLocked } from "./lock-wait.ts";

const busy = Object.assign(new Error("database is locked"), { errcode: 5 });

afterEach(() => vi.restoreAllMocks());

it.each([
  ["forward", 400 * 86_400_000],
  ["back", -400 * 86_400_000],
])("[WRT-2] waits for a lock as long as before when the clock is set %s", async (_, jump) => {
  const realNow = Date.now();
  let tries = 0;
  const until = computeDeadline(600_000);
  vi.spyOn(Date, "now").mockImplementation(() => realNow + jump);
  const found = await retryWhileLocked(until, () => {
    tries += 1;
    if (tries < 5) throw busy;
    return "done";
  });
  expect([found, tries]).toEqual(["done", 5]);
  // The deadline has passed by the monotonic clock, whatever the other one says.
  await expect(retryWhileLocked(computeDeadline(-1), () => Promise.reject(busy))).rejects.toBe(busy);
  await expect(
    retryWhileLocked(computeDeadline(-1), () => {
      throw busy;
    }),
  ).rejects.toBe(busy);
});
