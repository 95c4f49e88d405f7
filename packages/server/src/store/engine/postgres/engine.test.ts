import { setTimeout as pause } from "node:timers/promises";
import { newVault, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ReadTransaction } from "../engine.ts";
import { raw, sql } from "../sql.ts";

describe("a PostgreSQL engine", () => {
  let vault: TestVault;
  beforeAll(async () => {
    vault = await newVault("postgres");
  });
  afterAll(() => vault.drop());

  const end = (pid: number) => vault.store.engine.read((on) => on.all(sql`SELECT pg_terminate_backend(${pid})`));
  const pidOf = async (on: ReadTransaction) =>
    (await on.one<{ pid: number }>(raw("SELECT pg_backend_pid() AS pid")))!.pid;

  it("survives that the server ends its connection between two statements", async () => {
    const { engine } = vault.store;
    for (const call of ["read", "write"] as const) {
      const broken = engine[call](async (on) => {
        await end(await pidOf(on));
        await pause(50);
        return pidOf(on);
      });
      await expect(broken).rejects.toThrow();
    }
    expect(await engine.read(pidOf)).toBeGreaterThan(0);
    await engine.write((on) => on.run(sql`UPDATE owner SET name = name`));
  });

  it("survives that the server ends idle connections", async () => {
    const { engine } = vault.store;
    const pids = await Promise.all([engine.read(pidOf), engine.read(pidOf), engine.read(pidOf)]);
    for (const pid of new Set(pids).values()) await end(pid).catch(() => undefined);
    await pause(50);
    expect(await engine.read(pidOf)).toBeGreaterThan(0);
  });

  it("serves more reads at once than it has connections", async () => {
    const { engine } = vault.store;
    const slow = Array.from({ length: 40 }, () => engine.read((on) => on.all(raw("SELECT pg_sleep(0.01)"))));
    expect(await Promise.all(slow)).toHaveLength(40);
  });
});
