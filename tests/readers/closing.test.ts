import type { Worker } from "node:worker_threads";
import { createVault } from "@pdpp/test-support/vaults/new-vault";
import { now } from "@pdpp/test-support/vaults/sample";
import { describe, expect, it } from "vitest";
import { issueGrant } from "#server/auth/issue";
import { createReadingThreads } from "#server/http/threads/reading-threads";
import { createLibrary, everything } from "./world.ts";

describe("reading threads", () => {
  it("[BIG-16] have all exited once closing is done, even while they were reading", async () => {
    const vault = await createVault("sqlite");
    const started: Worker[] = [];
    const exited = new Set<Worker>();
    const count = (worker: Worker): void => {
      started.push(worker);
      worker.once("exit", () => exited.add(worker));
    };
    try {
      await createLibrary(vault);
      const { token } = await issueGrant(vault.store, 1, everything, now);
      process.on("worker", count);
      // A busy machine may take long to start a thread.
      const limits = { maxReadMs: 600_000 };
      const threads = createReadingThreads({ dataDir: vault.dataDir, secret: vault.store.secret }, limits);
      const values = new Map([
        ["stream", "papers"],
        ["metric", "count"],
      ]);
      const call = { name: "aggregate", bearer: { token }, values, warnings: [] } as const;
      const { signal } = new AbortController();
      const reads = ["a", "b", "c", "d"].map((key) => threads.read(call, key, signal));
      await threads.close();
      expect(started.length).toBeGreaterThan(0);
      expect(exited.size).toBe(started.length);
      for (const answer of await Promise.all(reads)) expect(answer.decode().value).toBe(30);
      await expect(threads.read(call, "a", signal)).rejects.toMatchObject({ code: "unavailable" });
    } finally {
      process.off("worker", count);
      await vault.drop();
    }
  });

  it("[FAIR-7] end after a while without a read", async () => {
    const vault = await createVault("sqlite");
    const exited = new Set<Worker>();
    let started = 0;
    const count = (worker: Worker): void => {
      started += 1;
      worker.once("exit", () => exited.add(worker));
    };
    try {
      await createLibrary(vault);
      const { token } = await issueGrant(vault.store, 1, everything, now);
      process.on("worker", count);
      const limits = { maxReadMs: 600_000, idleMs: 50 };
      const threads = createReadingThreads({ dataDir: vault.dataDir, secret: vault.store.secret }, limits);
      const values = new Map([
        ["stream", "papers"],
        ["metric", "count"],
      ]);
      const call = { name: "aggregate", bearer: { token }, values, warnings: [] } as const;
      const { signal } = new AbortController();
      const readAtOnce = () => Promise.all(["a", "b", "c"].map((key) => threads.read(call, key, signal)));
      await readAtOnce();
      const first = started;
      expect(first).toBeGreaterThan(0);
      await expect.poll(() => exited.size).toBe(first);
      for (const answer of await readAtOnce()) expect(answer.decode().value).toBe(30);
      expect(started).toBeGreaterThan(first);
      await threads.close();
      expect(exited.size).toBe(started);
    } finally {
      process.off("worker", count);
      await vault.drop();
    }
  });
});
