import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type RunResult, runPdpp } from "@pdpp/test-support/cli/run-pdpp";
import { compileCacheEnv } from "@pdpp/test-support/processes/compile-cache";
import { copyGolden, goldenNames } from "@pdpp/test-support/vaults/golden-vaults";
import { createVault, engineNames } from "@pdpp/test-support/vaults/new-vault";
import { buildMessage, createSample, everything, putRecords } from "@pdpp/test-support/vaults/sample";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createApp } from "#server/app";
import { loadCatalogRevision } from "#server/store/catalog/catalog";
import { incrementCatalogRevision } from "#server/store/catalog/catalog-rows";
import { schemaVersion } from "#server/store/engine/migrations";
import { sql } from "#server/store/engine/sql";
import { openEngine } from "#server/store/store";
import { readSchema } from "./read-tables.ts";

const [oldest = ""] = goldenNames;

describe("an earlier vault that another process has open", () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), "pdpp-shared-"));
    await copyGolden(oldest, { dataDir });
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  const list = (env: Readonly<Record<string, string>> = {}): Promise<RunResult> =>
    runPdpp(["connection", "list", "--json", "--data-dir", dataDir], { env });

  it("[KEEP-9] is not upgraded until that process has stopped, and that process goes on working", async () => {
    const server = await holdVault(join(dataDir, "vault.db"));
    // It waits before it refuses, which no other step here depends on.
    const refused = await list({ PDPP_TIME_LIMIT_FACTOR: "1" });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/must be upgraded first, and another process has it open/);
    expect(refused.stderr).toMatch(/stop pdpp serve and every other pdpp that uses this vault/);
    server.stdin.write("again\n");
    expect(String(await once(server.stdout, "data"))).toContain("written");
    expect(existsSync(join(dataDir, "backups"))).toBe(false);
    server.stdin.end();
    await once(server, "exit");
    expect(`schema-${await readSchema({ dataDir })}`).toBe(oldest);
    const upgraded = await list();
    expect([upgraded.code, upgraded.stderr]).toEqual([0, ""]);
    expect(await readSchema({ dataDir })).toBe(schemaVersion);
  });

  it("[KEEP-9] is upgraded after that process was killed", async () => {
    const server = await holdVault(join(dataDir, "vault.db"));
    server.kill("SIGKILL");
    await once(server, "exit");
    const upgraded = await list();
    expect([upgraded.code, upgraded.stderr]).toEqual([0, ""]);
  });

  it("[KEEP-9] is upgraded once when several processes start together", async () => {
    const results = await Promise.all(Array.from({ length: 4 }, () => list()));
    expect(results.map(({ code, stdout }) => [code, stdout])).toEqual(results.map(() => [0, results[0]?.stdout]));
    expect(readdirSync(join(dataDir, "backups"))).toHaveLength(1);
  });
});

async function holdVault(file: string): Promise<ChildProcessWithoutNullStreams> {
  const script = fileURLToPath(new URL("./held-vault.ts", import.meta.url));
  const child = spawn(process.execPath, [script, file], { env: compileCacheEnv });
  await once(child.stdout, "data");
  return child;
}

describe.each(engineNames)("a running server on %s", (engine) => {
  it("[KEEP-10] refuses reads, writes and readiness once a newer pdpp has upgraded its vault", async () => {
    const vault = await createVault(engine);
    try {
      const world = await createSample(vault);
      const token = await world.grant(everything);
      const app = createApp({ store: vault.store });
      const get = async (path: string) => {
        const answer = await app.fetch(
          new Request(`http://127.0.0.1:7663${path}`, { headers: { authorization: `Bearer ${token}` } }),
        );
        return { status: answer.status, text: await answer.text() };
      };
      const records = "/v1/streams/messages/records?limit=1";
      expect([(await get(records)).status, (await get("/readyz")).status]).toEqual([200, 200]);
      await vault.store.engine.write(async (on) => {
        await on.run(sql`UPDATE meta SET value = '99' WHERE name = 'schema_version'`);
        await incrementCatalogRevision(on);
      });
      for (const path of [records, "/readyz"]) {
        const { status, text } = await get(path);
        expect(status).toBe(503);
        expect(text).toMatch(/newer pdpp \(schema 99/);
      }
      expect((await get("/healthz")).status).toBe(200);
      await expect(putRecords(vault, "chat_home", "messages", [buildMessage("late", 1)])).rejects.toThrow(/newer pdpp/);
    } finally {
      await vault.drop();
    }
  });

  it("[KEEP-10] finds out, because an upgrade changes the catalog's revision", async () => {
    let before: number | undefined;
    const vault = await createVault(engine, undefined, async (place) => {
      await copyGolden(oldest, place);
      const old = openEngine(place);
      before = await old.read(loadCatalogRevision);
      await old.close();
    });
    try {
      expect(await vault.store.engine.read(loadCatalogRevision)).not.toBe(before);
    } finally {
      await vault.drop();
    }
  });
});
