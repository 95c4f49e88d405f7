import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type BoundedProcess, ProcessExited, startProcess } from "@pdpp/threads/process";
import type { ProcessLimits } from "@pdpp/threads/process-limits";
import { afterEach, describe, expect, it } from "vitest";

const open = new Set<BoundedProcess<unknown, string>>();

const enough: ProcessLimits = { maxMemoryMb: 300, maxHeapMb: 100, maxTaskMs: 600_000 };

function startSample(
  limits: Partial<ProcessLimits> = {},
  parse: (answer: unknown) => string = String,
): BoundedProcess<unknown, string> {
  const started = startProcess<unknown, string>({
    module: new URL("./sample-thread.ts", import.meta.url),
    limits: { ...enough, ...limits },
    parse,
  });
  open.add(started);
  return started;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

afterEach(async () => {
  for (const each of open) await each.terminate(new Error("the test is over"));
  open.clear();
});

describe("[IMP-34] a bounded process", () => {
  it("answers requests in order, and with the errors that were thrown", async () => {
    const started = startSample();
    const asked = [started.ask("slow"), started.ask("fail"), started.ask("fast")];
    expect(await Promise.allSettled(asked)).toMatchObject([
      { value: "slow 1" },
      { reason: { message: "no such word", code: "EWORD", errcode: 5 } },
      { value: "fast 2" },
    ]);
  });

  it("rejects an answer that its caller cannot parse", async () => {
    const started = startSample({}, () => {
      throw new Error("not an answer");
    });
    await expect(started.ask("fast")).rejects.toThrow("not an answer");
  });

  it.each([
    ["buffers", "bytes", {}],
    ["objects", "objects", {}],
    ["objects that would fit into its memory but not into its heap", "objects", { maxMemoryMb: 2000, maxHeapMb: 40 }],
  ])("is killed when it fills memory with %s", async (_, word, limits) => {
    const started = startSample(limits);
    await expect(started.ask(word)).rejects.toMatchObject({ reason: "too_much_memory" });
    await expect(started.ask("fast")).rejects.toBeInstanceOf(ProcessExited);
  });

  it("is killed when one task takes too much CPU time, even if its main thread never yields", async () => {
    await expect(startSample({ maxTaskMs: 300 }).ask("hang")).rejects.toMatchObject({ reason: "too_slow" });
  });

  it("counts the time of each task by itself", async () => {
    const started = startSample({ maxTaskMs: 1000 });
    for (let task = 1; task <= 12; task += 1) expect(await started.ask("work")).toBe(`work ${task}`);
  });

  it("ends with the process that started it, even in the middle of a task", async () => {
    const starter = spawn(process.execPath, [fileURLToPath(new URL("./starter-process.ts", import.meta.url))]);
    const [pid] = (await once(starter.stdout, "data")) as [Buffer];
    starter.kill("SIGKILL");
    await expect.poll(() => isRunning(Number(pid))).toBe(false);
  });

  it("says how it ended", async () => {
    await expect(startSample().ask("exit")).rejects.toMatchObject({ reason: "crashed", message: /code 3/ });
  });

  it("survives the signals of Ctrl-C and of a service manager, which its starter handles", async () => {
    const started = startSample();
    expect(await started.ask("signal")).toBe("signal 1");
    expect(await started.ask("fast")).toBe("fast 2");
  });

  it("gets no variables of the vault", async () => {
    process.env.PDPP_SECRET_OF_TEST = "hunter2";
    try {
      expect(await startSample().ask("environment")).not.toMatch(/PDPP/);
    } finally {
      delete process.env.PDPP_SECRET_OF_TEST;
    }
  });
});
