import { setTimeout as pause } from "node:timers/promises";
import { createVault, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ReadTransaction } from "../engine.ts";
import { raw, sql } from "../sql.ts";

describe("a PostgreSQL engine", () => {
  let vault: TestVault;
  beforeAll(async () => {
    vault = await createVault("postgres");
  });
  afterAll(() => vault.drop());

  const isConnected = (pid: number) =>
    vault.store.engine.read((on) => on.one(sql`SELECT 1 AS n FROM pg_stat_activity WHERE pid = ${pid}`), "heavy");
  const terminate = async (pid: number) => {
    await vault.store.engine.read((on) => on.all(sql`SELECT pg_terminate_backend(${pid})`), "heavy");
    await expect.poll(() => isConnected(pid)).toBeUndefined();
  };
  const loadPid = async (on: ReadTransaction) =>
    (await on.one<{ pid: number }>(raw("SELECT pg_backend_pid() AS pid")))!.pid;

  it("sends the statements of a transaction one at a time", async () => {
    const warnings: string[] = [];
    const collect = ({ message }: Error) => void warnings.push(message);
    process.on("warning", collect);
    try {
      const counts = await vault.store.engine.write((on) =>
        Promise.all(Array.from({ length: 5 }, (_, n) => on.one<{ n: number }>(raw(`SELECT ${n} AS n`)))),
      );
      expect(counts.map((row) => row?.n)).toEqual([0, 1, 2, 3, 4]);
      // Warnings are emitted on a later tick.
      await pause(10);
    } finally {
      process.off("warning", collect);
    }
    expect(warnings).toEqual([]);
  });

  it("rejects a statement that comes after its transaction has ended", async () => {
    let leaked: ReadTransaction | undefined;
    const failed = vault.store.engine.write(async (on) => {
      leaked = on;
      throw new Error("cancelled");
    });
    await expect(failed).rejects.toThrow("cancelled");
    await expect(leaked?.one(raw("SELECT 1 AS n"))).rejects.toThrow("the transaction has ended");
  });

  it("survives the server ending its connection between two statements", async () => {
    const { engine } = vault.store;
    for (const call of ["read", "write"] as const) {
      const broken = engine[call](async (on) => {
        await terminate(await loadPid(on));
        return loadPid(on);
      });
      await expect(broken).rejects.toThrow();
    }
    expect(await engine.read(loadPid)).toBeGreaterThan(0);
    await engine.write((on) => on.run(sql`UPDATE owner SET name = name`));
  });

  it("survives the server ending idle connections", async () => {
    const { engine } = vault.store;
    const pids = await Promise.all([engine.read(loadPid), engine.read(loadPid), engine.read(loadPid)]);
    for (const pid of new Set(pids).values()) await terminate(pid);
    expect(await engine.read(loadPid)).toBeGreaterThan(0);
  });

  it("serves more concurrent reads than it has connections", async () => {
    const { engine } = vault.store;
    const slow = Array.from({ length: 40 }, () => engine.read((on) => on.all(raw("SELECT pg_sleep(0.01)"))));
    expect(await Promise.all(slow)).toHaveLength(40);
  });
});
