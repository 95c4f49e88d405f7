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
    const turn = createTurnQueue();
    const begun: string[] = [];
    const begin = (key: string, name: string) => turn(key).then(() => begun.push(name));
    const many = ["a1", "a2", "a3", "a4"].map((name) => begin("a", name));
    await Promise.resolve();
    await Promise.resolve();
    expect(begun).toEqual(["a1"]);
    await Promise.all([...many, begin("b", "b1")]);
    expect(begun).toEqual(["a1", "a2", "b1", "a3", "a4"]);
  });
});
