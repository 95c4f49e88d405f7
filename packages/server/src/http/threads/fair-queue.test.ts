import { describe, expect, it } from "vitest";
import { createFairQueue, createTurnQueue } from "./fair-queue.ts";

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("a fair queue", () => {
  it("[FAIR-2] lets keys take turns and keeps each to its share", async () => {
    const queue = createFairQueue(2, 2);
    const begun: string[] = [];
    const enter = (key: string, name: string) =>
      queue.enter(key).then((permit) => {
        begun.push(name);
        return permit;
      });
    const many = ["a1", "a2", "a3", "a4"].map((name) => enter("a", name));
    const other = enter("b", "b1");
    await settled();
    expect(begun).toEqual(["a1", "a2"]);
    (await many[0])?.release();
    await settled();
    expect(begun).toEqual(["a1", "a2", "b1"]);
    (await other).release();
    await settled();
    expect(begun).toEqual(["a1", "a2", "b1", "a3"]);
    (await many[1])?.release();
    await settled();
    expect(begun).toEqual(["a1", "a2", "b1", "a3", "a4"]);
  });

  it("[FAIR-2] counts an answer against its key until it is sent, but frees the slot for other keys", async () => {
    const queue = createFairQueue(1, 1);
    const first = await queue.enter("a");
    let again = false;
    const waiting = queue.enter("a").then((permit) => {
      again = true;
      return permit;
    });
    first.releaseSlot();
    (await queue.enter("b")).release();
    expect(again).toBe(false);
    first.release();
    (await waiting).release();
    expect(again).toBe(true);
  });

  it("[FAIR-3] drops a waiting call whose caller has gone", async () => {
    const queue = createFairQueue(1, 1);
    const first = await queue.enter("a");
    const gone = new AbortController();
    const waiting = queue.enter("b", gone.signal);
    gone.abort(new Error("gone"));
    await expect(waiting).rejects.toThrow("gone");
    await expect(queue.enter("b", gone.signal)).rejects.toThrow("gone");
    first.release();
    (await queue.enter("c")).release();
  });

  it("[FAIR-4] starts one call per turn of the event loop", async () => {
    const turns = createTurnQueue();
    const begun: string[] = [];
    const begin = (key: string, name: string) => turns.wait(key).then(() => begun.push(name));
    const many = ["a1", "a2", "a3", "a4"].map((name) => begin("a", name));
    await Promise.resolve();
    await Promise.resolve();
    expect(begun).toEqual(["a1"]);
    await Promise.all([...many, begin("b", "b1")]);
    expect(begun).toEqual(["a1", "a2", "b1", "a3", "a4"]);
  });

  it("[FAIR-4] lets only one call of a turn start without waiting", async () => {
    const turns = createTurnQueue();
    expect(turns.tryTake()).toBe(true);
    expect(turns.tryTake()).toBe(false);
    const waiting = turns.wait("a");
    await settled();
    await waiting;
    // The call that waited has taken the next turn.
    expect(turns.tryTake()).toBe(false);
    await settled();
    expect(turns.tryTake()).toBe(true);
  });

  it("[FAIR-2] lets a call in without waiting only if there is room and nothing waits", async () => {
    const queue = createFairQueue(2, 1);
    const first = queue.tryEnter("a");
    expect(first).toBeDefined();
    expect(queue.tryEnter("a")).toBeUndefined();
    const waiting = queue.enter("a");
    expect(queue.tryEnter("b")).toBeUndefined();
    first?.release();
    const second = await waiting;
    expect(queue.tryEnter("a")).toBeUndefined();
    const other = queue.tryEnter("b");
    expect(queue.tryEnter("c")).toBeUndefined();
    second.release();
    other?.release();
    expect(queue.tryEnter("c")).toBeDefined();
  });
});
