import { type RunningServer, serve } from "@pdpp/server/main";
import { createVault, engineNames, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { buildMessage, createSample, everything, putRecords, type Sample } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readAccessLog } from "#server/store/access/log/access-log";

/** Reads that a server runs on another thread. */

const heavy = [
  "/v1/search?q=m*",
  "/v1/search?q=m*&limit=3&view=evidence",
  `/v1/search?q=${Array.from({ length: 40 }, (_, n) => `message+w${n}`).join("+")}`,
  "/v1/streams/messages/aggregate?metric=count&group_by=channel_id&connection_id=chat_home",
  "/v1/streams/messages/records?connection_id=chat_home&changes_since=beginning&limit=5",
  "/v1/streams/messages/records?connection_id=chat_home&count=exact&limit=2",
  "/v1/streams/messages/records?connector_instance_id=chat_home&count=exact&limit=2",
  "/v1/streams/messages/records?connection_id=chat_home&expand=channel&limit=3",
  "/v1/streams/messages/records/long/field-window?connection_id=chat_home&field=text&q=needle",
  "/v1/streams/messages/records?connection_id=chat_home&filter[likes][gte]=nonsense",
];

/** Cursors are sealed differently each time, and each server has its own port. */
const removeVolatile = (text: string): string =>
  text
    .replace(/((?:next_cursor|next_changes_since)":"|[?&]cursor=)[\w.~%-]+/g, "$1")
    .replaceAll(/localhost:\d+/g, "localhost");

describe.each(engineNames)("heavy reads of a server on %s", (engine) => {
  let vault: TestVault;
  let world: Sample;
  let running: RunningServer;
  let token: string;
  const get = (path: string, init: RequestInit = {}, as = token) =>
    fetch(`${running.url}${path}`, { ...init, headers: { authorization: `Bearer ${as}`, ...init.headers } });
  beforeAll(async () => {
    vault = await createVault(engine);
    world = await createSample(vault);
    token = await world.grant(everything);
    const text = `${"hay ".repeat(30_000)}needle`;
    await putRecords(vault, "chat_home", "messages", [buildMessage("long", 1, { text })]);
    const { dataDir, databaseUrl } = vault;
    const place = databaseUrl === undefined ? { dataDir } : { dataDir, databaseUrl };
    running = await serve({ ...place, port: 0, host: "127.0.0.1" });
  });
  afterAll(async () => {
    await running.close();
    await vault.drop();
  });

  it.each(heavy)("[FAIR-2] returns the same as a reader without threads: %s", async (path) => {
    const [here, there] = [await world.call(token, path), await get(path)];
    expect(there.status).toBe(here.status);
    expect(there.headers.get("content-type")).toBe(here.headers.get("content-type"));
    if (here.ok) expect(removeVolatile(await there.text())).toBe(removeVolatile(await here.text()));
  });

  it("[FAIR-2] logs heavy reads with what they returned", async () => {
    await get("/v1/search?q=m*&limit=4", { headers: { "request-id": "heavy-search" } });
    const findLogEntry = async () =>
      (await vault.store.engine.read((on) => readAccessLog(on, 1, { limit: 100 }))).find(
        ({ requestId }) => requestId === "heavy-search",
      );
    await expect.poll(findLogEntry).toMatchObject({ records: 4, status: 200, operation: "search" });
  });

  it("[FAIR-3] stops heavy reads when the client disconnects", async () => {
    const gone = new AbortController();
    const abandoned = Array.from({ length: 60 }, () =>
      get("/v1/search?q=m*+h*+w*", { signal: gone.signal }).then(
        () => "answered",
        () => "gone",
      ),
    );
    await new Promise((resolve) => setTimeout(resolve, 20));
    gone.abort();
    expect(await Promise.all(abandoned)).toContain("gone");
    expect((await get("/v1/search?q=m*")).status).toBe(200);
  });
});

describe("a server that gives heavy reads no time", () => {
  it("[FAIR-3] says how to request less, and keeps running", async () => {
    const vault = await createVault("sqlite");
    const world = await createSample(vault);
    const token = await world.grant(everything);
    const running = await serve({ dataDir: vault.dataDir, port: 0, host: "127.0.0.1", threadLimits: { maxReadMs: 0 } });
    try {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(`${running.url}/v1/search?q=m*`, { headers });
      expect(answer.status).toBe(422);
      expect(await answer.json()).toMatchObject({ error: { code: "query_too_heavy" } });
      expect((await fetch(`${running.url}/v1/streams`, { headers })).status).toBe(200);
    } finally {
      await running.close();
      await vault.drop();
    }
  });
});

describe("a batch of many calls", () => {
  it("[FAIR-4] lets another client's read through before it is done", async () => {
    const vault = await createVault("sqlite");
    try {
      const world = await createSample(vault);
      const [token, other] = [await world.grant(everything), await world.grant(everything)];
      await world.call(other, "/v1/streams");
      const params = { name: "search", arguments: { query: "message" } };
      const calls = Array.from({ length: 100 }, (_, id) => ({ jsonrpc: "2.0", id, method: "tools/call", params }));
      const body = JSON.stringify(calls);
      const headers = {
        "content-type": "application/json",
        "content-length": String(body.length),
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2025-03-26",
      };
      const order: string[] = [];
      const batch = world.call(token, "/mcp", { method: "POST", headers, body }).then(async (answer) => {
        expect(answer.status).toBe(200);
        expect((await answer.text()).match(/"id":/g)?.length).toBeGreaterThanOrEqual(100);
        order.push("batch");
      });
      await new Promise((resolve) => setTimeout(resolve, 5));
      const single = world.call(other, "/v1/streams").then(() => order.push("single"));
      await Promise.all([batch, single]);
      expect(order).toEqual(["single", "batch"]);
    } finally {
      await vault.drop();
    }
  });
});
