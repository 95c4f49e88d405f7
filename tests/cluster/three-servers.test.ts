import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseManifest } from "@pdpp/contract/manifest";
import { runPdpp } from "@pdpp/test-support/cli/run-pdpp";
import { createVault, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import {
  buildMessage,
  chatManifest,
  createSample,
  everything,
  putRecords,
  type Sample,
} from "@pdpp/test-support/vaults/sample";
import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import { signInOwner } from "@pdpp/test-support/web/owner-pages";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOwner } from "#server/owner/owner";
import { origin, type Stage, someText, stage } from "../oauth/agent.ts";
import { type Cluster, startCluster } from "./servers.ts";

const size = 3;
const everyServer = Array.from({ length: size }, (_, n) => n);

describe("three servers on one database, behind a proxy", () => {
  let vault: TestVault;
  let sample: Sample;
  let cluster: Cluster;
  let on: Stage;
  beforeAll(async () => {
    vault = await createVault("postgres");
    sample = await createSample(vault);
    cluster = await startCluster(vault.databaseUrl!, size);
    on = stage(vault, [cluster.proxy]);
  });
  afterAll(async () => {
    await cluster.close();
    await vault.drop();
  });

  const read = (token: string, path: string) =>
    cluster.proxy.fetch(new Request(`${origin}${path}`, { headers: { authorization: `Bearer ${token}` } }));
  const json = async <T>(token: string, path: string): Promise<T> => {
    const response = await read(token, path);
    const body = await response.text();
    expect([path, response.status, response.status === 200 ? "" : body]).toEqual([path, 200, ""]);
    return JSON.parse(body) as T;
  };
  const openOwner = () => createOwner({ store: vault.store, ownerNo: 1, now: Date.now });

  it("[SCL-6] continue each other's lists and windows", async () => {
    const token = await sample.grant(everything);
    const text = "All the words of a long mail. ".repeat(4000);
    await putRecords(vault, "chat_work", "messages", [buildMessage("mail", 100, { text })]);
    const ids: string[] = [];
    let list = "/v1/streams/messages/records?connection_id=chat_home&limit=4";
    for (let cursor: string | undefined; ; list = `${list.replace(/&cursor=.*/, "")}&cursor=${cursor}`) {
      const page = await json<{ data: { id: string }[]; next_cursor?: string }>(token, list);
      ids.push(...page.data.map(({ id }) => id));
      cursor = page.next_cursor;
      if (cursor === undefined) break;
    }
    expect(ids.toSorted()).toEqual(Array.from({ length: 30 }, (_, i) => `h${String(i).padStart(2, "0")}`));
    let walked = "";
    const window = "/v1/streams/messages/records/mail/field-window?connection_id=chat_work&field=text";
    for (let cursor: string | undefined; ; ) {
      const page = await json<{ window: { text: string; next_cursor: string | null } }>(
        token,
        cursor === undefined ? window : `${window}&cursor=${encodeURIComponent(cursor)}`,
      );
      walked += page.window.text;
      cursor = page.window.next_cursor ?? undefined;
      if (cursor === undefined) break;
    }
    expect(walked === text).toBe(true);
  });

  it("[SCL-6] share sessions and consent in mid-flow", async () => {
    const owner = await signInOwner(on);
    for (const _ of everyServer) expect((await owner.open(`${origin}/agents`)).status).toBe(200);
    // Every step reaches another server, and each round starts at another one.
    for (const _ of everyServer) {
      const agent = await on.register();
      const page = await on.consent(agent);
      expect([page.status, page.url]).toEqual([200, expect.stringContaining("/consent/")]);
      const tokens = await on.granted(agent, someText);
      const call = { name: "query_records", arguments: { stream: "messages" } };
      for (const _each of everyServer)
        expect((await agent.mcp(tokens.access_token, "tools/call", call)).status).toBe(200);
      await cluster.proxy.fetch(new Request(`${origin}/healthz`));
    }
  });

  it("[SCL-6] refuse a revoked grant from the next request on", async () => {
    for (let n = 0; n < 5; n += 1) {
      const { token, grants } = await openOwner().grants.issue(everything);
      for (const _ of everyServer) await json(token, "/v1/streams");
      await openOwner().grants.revoke(grants[0]!.grant_id);
      const refused = await Promise.all(everyServer.map(() => read(token, "/v1/streams")));
      expect(refused.map(({ status }) => status)).toEqual(everyServer.map(() => 403));
    }
  });

  it("[SCL-6] notice a changed manifest", async () => {
    const token = await sample.grant(everything);
    const filtered = "/v1/streams/messages/records?connection_id=chat_home&filter[mood]=calm";
    for (const _ of everyServer) expect((await read(token, filtered)).status).toBe(400);
    const [messages, ...others] = chatManifest.streams as { schema: { properties: object } }[];
    const schema = { ...messages!.schema, properties: { ...messages!.schema.properties, mood: { type: "string" } } };
    const changed = { ...chatManifest, version: "1.1.0", streams: [{ ...messages, schema }, ...others] };
    await vault.store.register(parseManifest(changed), Date.now());
    await vault.store.reindex();
    await putRecords(vault, "chat_home", "messages", [buildMessage("m1", 200, { mood: "calm" })]);
    const after = await sample.grant(everything);
    for (const _ of everyServer)
      expect(await json(after, filtered)).toMatchObject({ data: [{ id: "m1" }], has_more: false });
  });

  it("[SCL-6] show what was imported at another one", async () => {
    const file = join(vault.dataDir, "calendar.ics");
    const event =
      "BEGIN:VEVENT\r\nUID:e1\r\nDTSTAMP:20260501T100000Z\r\nDTSTART:20260501T100000Z\r\nSUMMARY:Dentist\r\nEND:VEVENT";
    writeFileSync(file, `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:test\r\n${event}\r\nEND:VCALENDAR\r\n`);
    const place = ["--data-dir", vault.dataDir, "--database-url", vault.databaseUrl!];
    const { code, stderr } = await runPdpp(["import", file, "--yes", ...place]);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    for (const _ of everyServer)
      expect(await json(sample.ownerToken, "/v1/search?q=dentist")).toMatchObject({ data: [{ stream: "events" }] });
  });

  it("[SCL-6] run each due source once", async () => {
    const { connections, sources } = openOwner();
    const ids = Array.from({ length: 9 }, (_, n) => `due${n}`);
    for (const id of ids) {
      await connections.add({ connector_key: "chat", connection_id: id });
      // A connector that is not installed: its run fails, and is not repeated before the owner has done something.
      await sources.add({ source_id: id, kind: "connector", connection_id: id, settings: {} });
    }
    const listRuns = () => Promise.all(ids.map((id) => sources.listRuns(id, 10)));
    await expect.poll(async () => (await listRuns()).every(([run]) => run?.status === "failed")).toBe(true);
    expect((await listRuns()).map((runs) => runs.length)).toEqual(ids.map(() => 1));
  });
});

/** What a client may see when a server was killed. It sends the request again. */
const retryable = new Set([429, 502, 503]);

/** On a busy machine, a server may take half a minute to start again. */
const maxMs = 3_600_000;

describe("a server that is killed under load", () => {
  it(
    "[SCL-7] loses nothing that was acknowledged, and clients see at most a retryable error",
    async () => {
      const vault = await createVault("postgres");
      const sample = await createSample(vault);
      const cluster = await startCluster(vault.databaseUrl!, size);
      const token = await sample.grant(everything);
      const acknowledged = new Set<string>();
      const others: string[] = [];
      let failures = 0;
      let reads = 0;
      let isOver = false;
      const kills = chooseRuns(2, 12);
      const send = async (path: string, init: RequestInit, bearer: string): Promise<Response | undefined> => {
        const headers = { ...(init.headers as object), authorization: `Bearer ${bearer}` };
        const response = await cluster.proxy
          .fetch(new Request(`${origin}${path}`, { ...init, headers }))
          .catch(() => undefined);
        if (response?.status === 200) return response;
        failures += 1;
        if (response !== undefined && !retryable.has(response.status))
          others.push(`${path}: ${response.status} ${await response.text()}`);
        await response?.body?.cancel().catch(() => undefined);
        await wait(20);
        return undefined;
      };
      const write = async (writer: number): Promise<void> => {
        for (let n = 0; !isOver; n += 1) {
          const id = `w${writer}-${n}`;
          const body = `${JSON.stringify(buildMessage(id, n))}\n`;
          const headers = { "content-type": "application/x-ndjson" };
          const response = await send(
            "/v1/ingest/messages?connection_id=chat_home",
            { method: "POST", headers, body },
            sample.ownerToken,
          );
          // An answer that breaks off acknowledges nothing.
          const report = await response?.json().catch(() => undefined);
          if ((report as { records_accepted?: number } | undefined)?.records_accepted === 1) acknowledged.add(id);
        }
      };
      const readPages = async (): Promise<void> => {
        while (!isOver) {
          const response = await send("/v1/streams/messages/records?connection_id=chat_work&limit=50", {}, token);
          const page = (await response?.json().catch(() => undefined)) as { data: unknown[] } | undefined;
          if (page === undefined) continue;
          reads += 1;
          if (page.data.length !== 20) others.push(`${page.data.length} records`);
        }
      };
      const load = Promise.all([write(0), write(1), readPages(), readPages(), readPages()]);
      const clients = 5;
      try {
        for (let n = 0; n < kills; n += 1) {
          const before = { written: acknowledged.size, reads };
          const victim = n % size;
          await cluster.kill(victim);
          // The others go on while it is down, and with it after its restart.
          const goesOn = () =>
            expect.poll(() => acknowledged.size > before.written + 5 && reads > before.reads + 5).toBe(true);
          await goesOn();
          await cluster.restart(victim);
        }
      } finally {
        isOver = true;
        await load;
      }
      try {
        expect(others).toEqual([]);
        const held = new Set<string>();
        const exported = await cluster.proxy.fetch(
          new Request(`${origin}/v1/export?stream=messages&connection_id=chat_home`, {
            headers: { authorization: `Bearer ${token}` },
          }),
        );
        for (const line of (await exported.text()).trim().split("\n"))
          held.add((JSON.parse(line) as { id: string }).id);
        expect([...acknowledged].filter((id) => !held.has(id))).toEqual([]);
        expect(acknowledged.size).toBeGreaterThan(10);
        // The proxy skips a server that is down, so only requests in progress fail: at most one of each client.
        expect(failures).toBeLessThanOrEqual(kills * clients);
        const figures = `${kills} kills, ${acknowledged.size} records acknowledged, ${reads} pages read, ${failures} requests to repeat`;
        if (kills > 2) console.info(figures);
        const { code, stdout } = await runPdpp([
          "log",
          "verify",
          "--data-dir",
          vault.dataDir,
          "--database-url",
          vault.databaseUrl!,
        ]);
        expect([code, stdout]).toEqual([0, expect.any(String)]);
      } finally {
        await cluster.close();
        await vault.drop();
      }
    },
    maxMs,
  );
});
