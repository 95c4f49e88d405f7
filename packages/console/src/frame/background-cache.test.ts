import { expect, test } from "vitest";
import { createBackgroundCache } from "./background-cache.ts";

test("[CSL-76] values are computed one at a time, so that a page's own reads do not queue behind them", async () => {
  const cache = createBackgroundCache<number>(() => 0, -1);
  let [running, most] = [0, 0];
  const load = (key: string) =>
    cache.load(
      {
        key,
        state: "",
        canBeOutdated: true,
        compute: async () => {
          running += 1;
          most = Math.max(most, running);
          await new Promise(setImmediate);
          running -= 1;
          if (key === "b") throw new Error("failed");
          return key.length;
        },
      },
      new Promise<undefined>(() => undefined),
    );
  const loaded = await Promise.all(["a", "b", "ccc"].map(load));
  expect(loaded.map((each) => each?.value)).toEqual([1, -1, 3]);
  expect(most).toBe(1);
});

test("[CSL-135] a value that could not be computed is tried again after a minute, not on every page", async () => {
  let [now, attempts] = [0, 0];
  const cache = createBackgroundCache<number>(() => now, -1);
  const compute = async () => {
    attempts += 1;
    if (attempts === 1) throw new Error("took too long");
    return 7;
  };
  const forever = new Promise<undefined>(() => undefined);
  const load = async () => (await cache.load({ key: "a", state: "", canBeOutdated: true, compute }, forever))?.value;
  expect([await load(), await load()]).toEqual([-1, -1]);
  expect(attempts).toBe(1);
  now = 61_000;
  // The page does not wait; the next one has the value.
  expect(await load()).toBe(-1);
  await new Promise(setImmediate);
  expect([await load(), attempts]).toEqual([7, 2]);
});
