import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createLanes } from "./lanes.ts";
import { createReadCosts, describeRead } from "./read-costs.ts";

const settled = async () => {
  for (let n = 0; n < 20; n += 1) await Promise.resolve();
};

const limits = { longThreads: 1, perToken: 2, maxShortMs: 50 };

describe("the lanes of heavy reads", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Enters reads by name, and lists those that have started, with their lane. */
  const open = (known: Readonly<Record<string, number>> = {}) => {
    const costs = createReadCosts();
    for (const [read, ms] of Object.entries(known)) costs.note(read, ms);
    const lanes = createLanes(costs, limits);
    const begun: string[] = [];
    const enter = (read: string, key = "a") =>
      lanes.enter(key, read).then((permit) => {
        begun.push(`${read} ${permit.lane}`);
        return permit;
      });
    return { costs, begun, enter };
  };

  it("[FAIR-8] lets a short read pass the long ones of its token", async () => {
    const { begun, enter } = open({ groups: 300, count: 5 });
    const heavy = Array.from({ length: 6 }, () => enter("groups"));
    const small = Array.from({ length: 3 }, () => enter("count"));
    await settled();
    expect(begun.toSorted()).toEqual(["count short", "groups long"]);
    (await small[0])?.release();
    await settled();
    (await small[1])?.release();
    await settled();
    (await heavy[0])?.release();
    await settled();
    expect(begun.slice(2)).toEqual(["count short", "count short", "groups long"]);
  });

  it("[FAIR-8] lets tokens take turns among short reads too", async () => {
    const { begun, enter } = open({ mine: 5, yours: 5 });
    const mine = Array.from({ length: 9 }, () => enter("mine", "a"));
    void enter("yours", "b");
    for (const read of mine.slice(0, 2)) {
      (await read).release();
      await settled();
    }
    expect(begun).toEqual(["mine short", "mine short", "yours short"]);
  });

  it("[FAIR-8] waits no longer for a read that turns out to be long, and remembers it", async () => {
    const { costs, begun, enter } = open({ count: 5 });
    const unknown = enter("groups");
    const count = enter("count");
    await settled();
    expect(begun).toEqual(["groups short"]);
    await vi.advanceTimersByTimeAsync(limits.maxShortMs);
    expect(begun).toEqual(["groups short", "count short"]);
    costs.note("groups", 300);
    (await unknown).release();
    (await count).release();
    void enter("groups");
    await settled();
    expect(begun.at(-1)).toBe("groups long");
  });

  it("[FAIR-8] lets a token find out about one read at a time, and only one overstay", async () => {
    const { begun, enter } = open({ count: 5 });
    const first = enter("unknown1", "a");
    await settled();
    await vi.advanceTimersByTimeAsync(limits.maxShortMs);
    void enter("unknown2", "a");
    void enter("unknown3", "b");
    void enter("count", "c");
    await settled();
    await vi.advanceTimersByTimeAsync(limits.maxShortMs);
    expect(begun.toSorted()).toEqual(["unknown1 short", "unknown2 long", "unknown3 short"]);
    (await first).release();
    await settled();
    expect(begun.at(-1)).toBe("count short");
  });

  it("[FAIR-8] sends a read to the long lane if its kind turned out to be long while it waited", async () => {
    const { costs, begun, enter } = open();
    const [first] = [enter("groups"), enter("groups")];
    await settled();
    costs.note("groups", 300);
    (await first).release();
    await settled();
    expect(begun).toEqual(["groups short", "groups long"]);
  });

  it("[FAIR-3] forgets a waiting read whose client has gone", async () => {
    const lanes = createLanes(createReadCosts(), limits);
    const first = await lanes.enter("a", "x");
    const gone = new AbortController();
    const waiting = lanes.enter("a", "y", gone.signal);
    gone.abort(new Error("gone"));
    await expect(waiting).rejects.toThrow("gone");
    first.release();
    (await lanes.enter("a", "y")).release();
  });
});

describe("the cost of a read", () => {
  const describeAggregate = (more: Record<string, unknown>, key = "a") =>
    describeRead(
      { name: "aggregate", values: new Map(Object.entries({ stream: "mails", metric: "count", ...more })) },
      key,
    );

  it("[FAIR-8] is that of reads of its token with the same parameters, whatever their values", () => {
    const filtered = describeAggregate({ filter: { size: { gte: "3" } } });
    expect(describeAggregate({ filter: { size: { gte: "4" } } })).toBe(filtered);
    for (const other of [
      describeAggregate({}),
      describeAggregate({ filter: { sender: "x" } }),
      describeAggregate({ group_by: "sender" }),
      describeAggregate({ filter: { size: { gte: "3" } } }, "b"),
    ])
      expect(other).not.toBe(filtered);
    expect(describeAggregate({ group_by: "sender" })).not.toBe(describeAggregate({ group_by: "folder" }));
  });

  it("[FAIR-8] follows the last reads, so that an outlier is forgotten", () => {
    const costs = createReadCosts();
    expect(costs.find("r")).toBeUndefined();
    for (const ms of [5, 200, 5, 5]) costs.note("r", ms);
    expect(costs.find("r")).toBeLessThan(50);
    for (const ms of [200, 200, 200]) costs.note("r", ms);
    expect(costs.find("r")).toBeGreaterThan(150);
  });
});
