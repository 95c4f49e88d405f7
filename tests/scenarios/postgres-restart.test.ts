import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PdppError } from "@pdpp/contract/errors";
import { createOwner } from "@pdpp/server/owner/owner";
import { openStore } from "@pdpp/server/store/store";
import { type PostgresServer, startPostgres } from "@pdpp/test-support/postgres/embedded-postgres";
import { restartUnderLoad } from "@pdpp/test-support/postgres/restart-under-load";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createApp } from "#server/app";
import { checkSchema } from "#server/store/engine/migrate";
import { raw } from "#server/store/engine/sql";
import { scaleTimeLimit } from "#server/time-limits";

describe("a PostgreSQL server that restarts", () => {
  let server: PostgresServer;
  let paused = false;
  const dataDir = mkdtempSync(join(tmpdir(), "pdpp-vault-"));
  beforeAll(async () => {
    server = await startPostgres();
    await server.createDatabase("vault");
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it("[WRT-5] loses no acknowledged record, and reads and writes resume by themselves", async () => {
    const store = await openStore({ dataDir, databaseUrl: `${server.url}/vault` });
    try {
      const seen = await restartUnderLoad(store, server);
      expect(seen.lost).toEqual([]);
      expect(seen.otherFaults).toEqual([]);
      expect(seen.unavailable).toBeGreaterThan(0);
      expect(seen.resumedMs).toBeLessThan(Number.POSITIVE_INFINITY);
    } finally {
      await store.close();
    }
  });

  it("[WRT-5] is reported as unavailable, with a time to retry and without its address", async () => {
    const store = await openStore({ dataDir, databaseUrl: `${server.url}/vault` });
    const { token } = await createOwner({ store, ownerNo: 1, now: Date.now }).grants.issue({
      client: { name: "reader" },
      sources: [{ connector_key: "notes", streams: [{ name: "*" }] }],
    });
    const bugs = vi.fn();
    const app = createApp({ store, onBug: bugs });
    try {
      expect((await app.request("http://127.0.0.1/readyz")).status).toBe(200);
      await server.pause();
      paused = true;
      for (const [path, headers] of [
        ["/readyz", {}],
        ["/v1/streams", { authorization: `Bearer ${token}` }],
      ] as const) {
        const answer = await app.request(`http://127.0.0.1${path}`, { headers });
        expect(answer.status, path).toBe(503);
        expect(answer.headers.get("retry-after"), path).toMatch(/^\d+$/);
        const text = await answer.text();
        expect(text).toContain('"unavailable"');
        expect(text).not.toMatch(/ECONN|127\.0\.0\.1|:\d{4,}| at /);
      }
      expect((await app.request("http://127.0.0.1/healthz")).status).toBe(200);
      expect(bugs).not.toHaveBeenCalled();
      await server.resume();
      paused = false;
      await expect.poll(async () => (await app.request("http://127.0.0.1/readyz")).status).toBe(200);
    } finally {
      if (paused) await server.resume();
      await store.close();
    }
  });

  it("[WRT-5] leaves readyz and light reads working while heavy reads use all of their connections", async () => {
    const { engine, close } = await openStore({ dataDir, databaseUrl: `${server.url}/vault` });
    try {
      let done = 0;
      const readHeavily = () =>
        engine
          .read((on) => on.all(raw("SELECT pg_advisory_xact_lock_shared(1)")), "heavy")
          .then(() => {
            done += 1;
          });
      const countWaiting = () =>
        engine.read((on) => on.all(raw("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")));
      const heavy = await engine.write(async (on) => {
        await on.all(raw("SELECT pg_advisory_xact_lock(1)"));
        const reads = Array.from({ length: 12 }, readHeavily);
        await expect.poll(countWaiting).toHaveLength(3);
        await engine.ready(checkSchema);
        expect(done).toBe(0);
        return reads;
      });
      await Promise.all(heavy);
      expect(done).toBe(12);
    } finally {
      await close();
    }
  });

  it("[WRT-5] ends an idle transaction, so that a stopped process holds no lock", async () => {
    const { engine, close } = await openStore({ dataDir, databaseUrl: `${server.url}/vault` });
    try {
      const settings = await engine.write((on) =>
        on.all<{ name: string; setting: string }>(
          raw(`SELECT name, setting FROM pg_settings WHERE name IN
            ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout') ORDER BY name`),
        ),
      );
      expect(settings.map(({ setting }) => Number(setting))).toEqual([
        scaleTimeLimit(60_000),
        scaleTimeLimit(20_000),
        1_800_000,
      ]);
      const slow = engine.write(async (on) => {
        await on.all(raw("SET LOCAL statement_timeout = 100"));
        return on.all(raw("SELECT pg_sleep(5)"));
      });
      await expect(slow).rejects.toMatchObject({ code: "unavailable", message: /took too long/ });
      await expect(slow).rejects.toBeInstanceOf(PdppError);
    } finally {
      await close();
    }
  });
});
