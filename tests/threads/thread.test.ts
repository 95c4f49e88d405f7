import { startThread, type Thread, ThreadExited } from "@pdpp/threads/thread";
import { afterEach, describe, expect, it } from "vitest";

const open = new Set<Thread<unknown, string>>();

function startSample(parse: (answer: unknown) => string = String): Thread<unknown, string> {
  const thread = startThread<unknown, string>({ module: new URL("./sample-thread.ts", import.meta.url), parse });
  open.add(thread);
  return thread;
}

afterEach(async () => {
  for (const thread of open) await thread.terminate(new Error("the test is over"));
  open.clear();
});

describe("a thread", () => {
  it("answers requests in the order in which they were sent", async () => {
    const thread = startSample();
    const order: string[] = [];
    const asked = ["slow", "fast"].map((word) => thread.ask(word).then((answer) => order.push(answer)));
    await Promise.all(asked);
    expect(order).toEqual(["slow 1", "fast 2"]);
  });

  it("rejects with the error that was thrown, its properties included", async () => {
    await expect(startSample().ask("fail")).rejects.toMatchObject({
      message: "no such word",
      code: "EWORD",
      errcode: 5,
    });
  });

  it("rejects a request that the thread cannot parse, and answers the next", async () => {
    const thread = startSample();
    await expect(thread.ask(7)).rejects.toThrow("not a word");
    expect(await thread.ask("fast")).toBe("fast 1");
  });

  it("rejects an answer that its caller cannot parse", async () => {
    const thread = startSample(() => {
      throw new Error("not an answer");
    });
    await expect(thread.ask("fast")).rejects.toThrow("not an answer");
    expect(thread.hasEnded()).toBe(false);
  });

  it("answers what it was asked before it closes, and then refuses", async () => {
    const thread = startSample();
    const asked = thread.ask("slow");
    await thread.close();
    expect(await asked).toBe("slow 1");
    await expect(thread.ask("fast")).rejects.toBeInstanceOf(ThreadExited);
  });

  it("rejects every waiting caller when it is terminated or exits", async () => {
    const stopped = startSample();
    const waiting = stopped.ask("hang");
    await Promise.all([expect(waiting).rejects.toThrow("stop"), stopped.terminate(new Error("stop"))]);
    await expect(startSample().ask("exit")).rejects.toBeInstanceOf(ThreadExited);
  });
});
