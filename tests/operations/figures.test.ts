import { rmSync } from "node:fs";
import { createOwner } from "@pdpp/server/owner/owner";
import { createVault, engineNames, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample, everything, type Sample } from "@pdpp/test-support/vaults/sample";
import { type MetricFamily, parseExposition } from "@pdpp/test-support/web/exposition";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseManifest } from "#contract/manifest/manifest";
import { locationManifest } from "#importers/locations/manifest";
import { issueOwnerToken } from "#server/auth/issue";
import { type RunningServer, serve } from "#server/main";
import { addOwner, findOwner } from "#server/owner/owners";

/** What /metrics says about the vault and its reads. */

const metricsToken = "a-token-for-figures-only";
/** In names and ids of sources, which must not appear. */
const canary = "canary";

describe.each(engineNames)("figures about a vault on %s", (engine) => {
  let vault: TestVault;
  let sample: Sample;
  let server: RunningServer;
  beforeAll(async () => {
    vault = await createVault(engine);
    sample = await createSample(vault);
    await vault.store.register(parseManifest(locationManifest), Date.now());
    const { dataDir, databaseUrl } = vault;
    server = await serve({
      dataDir,
      ...(databaseUrl === undefined ? {} : { databaseUrl }),
      port: 0,
      host: "127.0.0.1",
      metricsToken,
    });
  });
  afterAll(async () => {
    await server?.close();
    await vault.drop();
    rmSync(vault.dataDir, { recursive: true, force: true });
  });

  const ask = (path: string, token: string): Promise<Response> =>
    fetch(new URL(path, server.url), { headers: { authorization: `Bearer ${token}` } });
  async function readFigures(token = metricsToken): Promise<ReadonlyMap<string, MetricFamily>> {
    const text = await (await ask("/metrics", token)).text();
    expect(text).not.toContain(canary);
    return parseExposition(text);
  }
  const list = (figures: ReadonlyMap<string, MetricFamily>, name: string): [string, number][] =>
    (figures.get(name)?.samples ?? []).map(({ labels, value }) => [Object.values(labels).join(" "), value]);

  it("[OPS-12] count sources by kind, state and result, and say which are due, without naming any", async () => {
    const owner = createOwner({ store: vault.store, ownerNo: 1, now: Date.now });
    const addSource = async (id: string): Promise<void> => {
      await owner.connections.add({ connector_key: "location", connection_id: id, display_name: canary });
      await owner.sources.add({ source_id: id, kind: "connector", connection_id: id, settings: { path: canary } });
    };
    for (const name of ["good", "bad", "paused", "running"]) await addSource(`${canary}_${name}`);
    const run = async (name: string, status: "succeeded" | "failed"): Promise<void> => {
      const { run_id: id } = await owner.sources.beginRun(name, { mode: "incremental", version: "1" });
      const report = status === "failed" ? { error: { code: canary, message: canary, is_retryable: true } } : {};
      await owner.sources.finishRun(id, { status, cursors: {}, report });
    };
    const startedAt = Math.floor(Date.now() / 1000);
    await run(`${canary}_good`, "succeeded");
    await run(`${canary}_bad`, "failed");
    await owner.sources.setPaused(`${canary}_paused`, true);
    await owner.sources.beginRun(`${canary}_running`, { mode: "incremental", version: "1" });
    await owner.sources.requestRun(`${canary}_good`);

    const figures = await readFigures();
    expect(list(figures, "pdpp_sources")).toEqual([
      ["connector failing", 1],
      ["connector ok", 1],
      ["connector paused", 1],
      ["connector running", 1],
    ]);
    expect(Object.fromEntries(list(figures, "pdpp_sources_due"))).toMatchObject({
      "connector ok": 1,
      "connector paused": 0,
    });
    expect(list(figures, "pdpp_source_runs")).toEqual([
      ["connector failed", 1],
      ["connector running", 1],
      ["connector succeeded", 1],
    ]);
    for (const name of ["pdpp_source_last_run_timestamp_seconds", "pdpp_source_oldest_success_timestamp_seconds"])
      for (const [, at] of list(figures, name)) expect(at).toBeGreaterThanOrEqual(startedAt - 60);
  });

  it("[OPS-12] count imports by state", async () => {
    expect(list(await readFigures(), "pdpp_imports")).toEqual([
      ["finished", 0],
      ["unfinished", 0],
    ]);
    const owner = createOwner({ store: vault.store, ownerNo: 1, now: Date.now });
    const request = {
      import_id: `imp_${canary}`,
      connection_id: "chat_home",
      format: "chat",
      importer_version: "1",
      label: canary,
      fingerprint: canary,
      sources: [],
      answers: {},
      exported_at: new Date().toISOString(),
    };
    const part = await owner.imports.begin(request as never);
    expect(list(await readFigures(), "pdpp_imports")).toContainEqual(["unfinished", 1]);
    await owner.imports.finish(part.part_id);
    const finished = await readFigures();
    expect(list(finished, "pdpp_imports")).toEqual([
      ["finished", 1],
      ["unfinished", 0],
    ]);
    expect(list(finished, "pdpp_import_last_finished_timestamp_seconds")[0]?.[1]).toBeGreaterThan(1.7e9);
  });

  it("[OPS-12] count operations by result, also those of refused tokens and of MCP tools", async () => {
    const count = async (name: string): Promise<number> =>
      Object.fromEntries(list(await readFigures(), "pdpp_operations_total"))[name] ?? 0;
    const token = await sample.grant(everything);
    await ask("/v1/streams", token);
    await ask("/v1/streams/order_lines/records", token);
    await ask("/v1/streams", "pdpp_client_wrong-token-wrong-token");
    await fetch(new URL("/mcp", server.url), {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2025-11-25",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "search", arguments: { query: canary } },
      }),
    }).then((answer) => answer.text());
    expect(await count("streams ok")).toBe(1);
    expect(await count("streams authentication_error")).toBe(1);
    expect(await count("search ok")).toBe(1);
    const results = list(await readFigures(), "pdpp_operations_total").map(([name]) => name);
    expect(results.filter((name) => name.startsWith("queryRecords"))).toEqual([
      "queryRecords grant_stream_not_allowed",
    ]);
  });

  it("[OPS-12] show who waits for a thread, and for how long they waited", async () => {
    const token = await sample.grant(everything);
    const reads = Array.from({ length: 8 }, () =>
      ask("/v1/export?stream=messages", token).then((answer) => answer.text()),
    );
    await Promise.all(reads);
    const figures = await readFigures();
    const waited = figures.get("pdpp_read_queue_wait_seconds")?.samples.find(({ name }) => name.endsWith("_count"));
    expect(waited?.value).toBeGreaterThanOrEqual(8);
    expect(list(figures, "pdpp_read_queue_length")).toEqual([["", 0]]);
    const threads = Object.fromEntries(list(figures, "pdpp_read_threads"));
    expect(threads).toEqual({ busy: 0, idle: expect.any(Number) });
    expect(threads.idle).toBeGreaterThan(0);
    expect(list(figures, "pdpp_vault_bytes")[0]?.[1]).toBeGreaterThan(1000);
    expect(list(figures, "pdpp_vault_up")).toEqual([["", 1]]);
  });

  it("[OPS-12] [OWN-1] show an owner of a shared vault their own sources, and no size", async () => {
    await addOwner(vault.store, "second", Date.now());
    const second = await findOwner(vault.store, "second");
    const { token } = await issueOwnerToken(vault.store, second, "watcher", Date.now(), null);
    const theirs = await readFigures(token);
    expect([list(theirs, "pdpp_sources"), theirs.has("pdpp_vault_bytes")]).toEqual([[], false]);
    const all = await readFigures();
    expect([list(all, "pdpp_sources").length, all.has("pdpp_vault_bytes")]).toEqual([4, true]);
  });
});
