import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SourceDocument } from "@pdpp/contract/sources";
import { createCliVault } from "@pdpp/test-support/cli/cli-vault";
import { cleanEnvironment } from "@pdpp/test-support/cli/run-pdpp";
import { startServer } from "@pdpp/test-support/processes/server-process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { manifest, prelude } from "./connector.ts";

/** Names its process in a record, and waits in its second run. */
const script = `${prelude}
const runs = (start.state?.notes?.runs ?? 0) + 1;
await record("notes", "run-" + runs, { count: process.pid });
if (runs === 2) { await say({ type: "SKIP_RESULT", reason: "waiting" }); setInterval(() => undefined, 1000); await new Promise(() => undefined); }
await state("notes", { runs });
await done();
await leave();
`;

/** Empty if the process has ended. */
function readCommand(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

describe("pdpp serve", () => {
  const vault = createCliVault();
  const folder = join(vault.directory, "sample-connector");
  const data = ["--data-dir", join(vault.directory, "vault")];
  const get = () => vault.json<SourceDocument>(["source", "show", "sample"]);
  beforeAll(async () => {
    mkdirSync(folder);
    writeFileSync(join(folder, "manifest.json"), JSON.stringify(manifest));
    writeFileSync(join(folder, "index.mjs"), script);
    await vault.json(["source", "add", "connector", folder, "--yes"]);
  });
  afterAll(() => vault.drop());

  const start = async (...more: string[]) => {
    const server = startServer(["--json", ...data, ...more], cleanEnvironment({ HOME: vault.directory }));
    await once(server.output, "line");
    return server;
  };

  it("[COL-70] starts no run by itself with --no-sync", async () => {
    const server = await start("--no-sync");
    await server.stop("SIGTERM");
    expect(await get()).not.toHaveProperty("last_run");
  });

  it("[COL-70] [COL-75] collects a due source, and ends the connector when it is stopped", async () => {
    const server = await start();
    await expect.poll(async () => (await get()).last_run?.status, { interval: 200 }).toBe("succeeded");
    expect(Date.parse((await get()).next_run ?? "")).toBeGreaterThan(Date.now() + 50 * 60_000);
    await server.stop("SIGTERM");
    await vault.json(["source", "schedule", "sample", "--every", "1h"]);

    const second = await start();
    await expect.poll(async () => (await get()).status, { interval: 200 }).toBe("running");
    const connectors = () =>
      readdirSync("/proc")
        .filter((pid) => /^\d+$/.test(pid))
        .filter((pid) => readCommand(pid).includes(join(vault.directory, "vault", "connectors")));
    await expect.poll(connectors).toHaveLength(1);
    expect(await second.stop("SIGTERM")).toEqual([0, null]);
    expect(connectors()).toEqual([]);
    const source = await get();
    expect(source).toMatchObject({ status: "active", last_run: { status: "cancelled" } });
    expect(Date.parse(source.next_run ?? "")).toBeLessThanOrEqual(Date.now());
  });
});
