import type { OwnerApi } from "@pdpp/contract/owner";
import type { RunResult } from "@pdpp/contract/sources";
import { createOwner } from "@pdpp/server/owner/owner";
import { connect, listen, surfaces } from "@pdpp/test-support/mcp/clients";
import { createVault, engineNames, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample, everything, type Sample, now as start } from "@pdpp/test-support/vaults/sample";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createApp } from "#server/app";

const hour = 3_600_000;

interface Row {
  readonly connection_id: string;
  readonly freshness: object;
}

describe.each(engineNames)("freshness, on %s", (engine) => {
  let vault: TestVault;
  let sample: Sample;
  let owner: OwnerApi;
  let token: string;
  let now = start;
  beforeEach(async () => {
    now = start;
    vault = await createVault(engine);
    sample = await createSample(vault, { now: () => now });
    owner = createOwner({ store: vault.store, ownerNo: 1, now: () => now });
    token = await sample.grant(everything);
  });
  afterEach(() => vault.drop());

  const addSource = () =>
    owner.sources.add({ source_id: "home", kind: "connector", connection_id: "chat_home", settings: {} });
  const run = async (status: RunResult["status"]) => {
    const { run_id } = await owner.sources.beginRun("home", { mode: "incremental", version: "1" });
    await owner.sources.finishRun(run_id, { status, cursors: {}, report: {} });
  };
  const getRow = async (id: string) => {
    const { data } = await sample.json<{ data: Row[] }>(token, "/v1/streams");
    return data.find(({ connection_id }) => connection_id === id)?.freshness;
  };
  const at = (ms: number): string => new Date(ms).toISOString();

  it("[COL-79] follows the runs of a source", async () => {
    expect(await getRow("chat_home")).toEqual({ status: "unknown" });
    await addSource();
    expect(await getRow("chat_home")).toEqual({ status: "stale", captured_at: null });
    await run("succeeded");
    expect(await getRow("chat_home")).toEqual({
      status: "current",
      captured_at: at(start),
      last_attempted_at: at(start),
    });
    expect(await getRow("chat_work")).toEqual({ status: "unknown" });
    now += hour;
    await run("failed");
    const failed = { status: "stale", captured_at: at(start), last_attempted_at: at(now) };
    expect(await getRow("chat_home")).toEqual(failed);
    const one = await sample.json<Row>(token, "/v1/streams/messages?connection_id=chat_home");
    expect(one.freshness).toEqual(failed);
    // Of two connections, one is not known to be current.
    expect((await sample.json<Row>(token, "/v1/streams/messages")).freshness).toMatchObject({ status: "stale" });
    await run("succeeded");
    now += 2 * hour;
    expect(await getRow("chat_home")).toMatchObject({ status: "current" });
    now += 1;
    expect(await getRow("chat_home")).toMatchObject({ status: "stale" });
    await owner.sources.setSchedule("home", { mode: "manual" });
    expect(await getRow("chat_home")).toMatchObject({ status: "unknown" });
  });

  it("[COL-79] is the time of the newest export for imports", async () => {
    for (const [n, exported_at] of ["2026-03-03T10:00:00Z", "2026-02-01T10:00:00Z"].entries()) {
      const { part_id } = await owner.imports.begin({
        import_id: `imp_${n}`,
        connection_id: "chat_work",
        format: "chat",
        importer_version: "1",
        label: "Chat export",
        fingerprint: String(n),
        sources: [],
        answers: {},
        exported_at,
      });
      await owner.imports.finish(part_id);
    }
    expect(await getRow("chat_work")).toEqual({ status: "unknown", captured_at: "2026-03-03T10:00:00.000Z" });
  });

  it("[COL-80] a search without hits names what is out of date, and only that", async () => {
    const search = async (q: string, asked = token) => {
      const found = await sample.json<{ meta: { warnings: { code: string; message: string }[] } }>(
        asked,
        `/v1/search?q=${q}`,
      );
      return found.meta.warnings.filter(({ code }) => code === "sources_not_current").map(({ message }) => message);
    };
    expect(await search("bergamot")).toEqual([]);
    await addSource();
    expect(await search("bergamot")).toEqual([
      'newer records may be missing: chat_home "Home" has never been collected completely',
    ]);
    await run("succeeded");
    expect(await search("bergamot")).toEqual([]);
    now += 90 * 24 * hour;
    await run("failed");
    const message = 'newer records may be missing: chat_home "Home" was last collected on 2026-06-01';
    expect(await search("bergamot")).toEqual([message]);
    expect(await search("message")).toEqual([]);
    expect(await search("bergamot&connection_id=chat_work")).toEqual([]);

    const other = await sample.grant({
      client: { name: "other" },
      sources: [{ connector_key: "chat", streams: [{ name: "messages", connection_ids: ["chat_work"] }] }],
    });
    expect(await search("bergamot", other)).toEqual([]);
    const schema = await (await sample.call(other, "/v1/schema")).text();
    expect(schema).not.toMatch(/stale|chat_home|captured_at/);
  });

  it("[COL-79] [COL-80] an agent sees it in the schema and in a search", async () => {
    await addSource();
    await run("succeeded");
    now += 90 * 24 * hour;
    const server = await listen(createApp({ store: vault.store, now: () => now }).fetch);
    const client = await connect(surfaces[0], server.url, token);
    try {
      const since = "not current since 2026-06-01";
      const index = await client.call("schema");
      expect(index.text).toContain(`chat_home "Home" (${since}), chat_work "Work"`);
      expect(JSON.stringify(index.structuredContent)).toContain('"freshness":{"status":"stale"');
      expect((await client.call("schema", { stream: "messages" })).text).toContain(`chat_home "Home" (${since})`);
      const { text, structuredContent } = await client.call("search", { query: "bergamot" });
      expect(text).toContain('Newer records may be missing: chat_home "Home" was last collected on 2026-06-01.');
      expect(text).toContain("No granted record holds these words.");
      expect(structuredContent.warnings).toContainEqual(expect.objectContaining({ code: "sources_not_current" }));
    } finally {
      await client.close();
      await server.close();
    }
  });
});
