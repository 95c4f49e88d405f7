import { describe, expect, it } from "vitest";
import { fairQueue, oneEachTurn } from "./fair-queue.ts";

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("a fair queue", () => {
  it("[FAIR-2] lets keys take turns, each with its share", async () => {
    const queue = fairQueue(2, 2);
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
    (await many[0])?.end();
    await settled();
    expect(begun).toEqual(["a1", "a2", "b1"]);
    (await other).end();
    await settled();
    expect(begun).toEqual(["a1", "a2", "b1", "a3"]);
    (await many[1])?.end();
    await settled();
    expect(begun).toEqual(["a1", "a2", "b1", "a3", "a4"]);
  });

  it("[FAIR-2] keeps a key to its share while its answers are not out, and gives the slot to others", async () => {
    const queue = fairQueue(1, 1);
    const first = await queue.enter("a");
    let again = false;
    const waiting = queue.enter("a").then((permit) => {
      again = true;
      return permit;
    });
    first.freeSlot();
    (await queue.enter("b")).end();
    expect(again).toBe(false);
    first.end();
    (await waiting).end();
    expect(again).toBe(true);
  });

  it("[FAIR-3] forgets who has gone", async () => {
    const queue = fairQueue(1, 1);
    const first = await queue.enter("a");
    const gone = new AbortController();
    const waiting = queue.enter("b", gone.signal);
    gone.abort(new Error("gone"));
    await expect(waiting).rejects.toThrow("gone");
    await expect(queue.enter("b", gone.signal)).rejects.toThrow("gone");
    first.end();
    (await queue.enter("c")).end();
  });

  it("[FAIR-4] begins one call in each turn of the event loop", async () => {
    const turn = oneEachTurn();
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
