import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { type RunningServer, serve } from "@pdpp/server/main";
import { openStore, type Store } from "@pdpp/server/store/store";
import type { TestVault } from "@pdpp/test-support/vaults/new-vault";
import { buildMessage, createSample, everything, putRecords, type Sample } from "@pdpp/test-support/vaults/sample";
import { type Authority, createAuthority, hasOpenssl, trustAuthority } from "@pdpp/test-support/web/certificates";
import { TestOAuthClient } from "@pdpp/test-support/web/oauth-client";
import { createPerson } from "@pdpp/test-support/web/person";
import { isInstalled, proxies } from "@pdpp/test-support/web/proxies";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseManifest } from "#contract/manifest/manifest";
import { locationManifest } from "#importers/locations/manifest";
import { issueOwnerToken } from "#server/auth/issue";
import { createOwner } from "#server/owner/owner";
import { someText } from "../oauth/agent.ts";

/** Consent, an export, push and an upload over https, through the proxies that our documentation describes. */

const callback = "http://localhost:41234/callback";
const longMessages = 600;
const exported = 30 + longMessages;

async function pickPort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}

const folder = mkdtempSync(join(tmpdir(), "pdpp-proxies-"));
const dataDir = join(folder, "vault");
let authority: Authority;
let distrust: () => void;
let store: Store;
let sample: Sample;
beforeAll(async () => {
  if (!hasOpenssl) return;
  authority = createAuthority(folder);
  distrust = trustAuthority(authority);
  store = await openStore({ dataDir });
  const vault = { store, dataDir } as TestVault;
  sample = await createSample(vault);
  await store.register(parseManifest(locationManifest), Date.now());
  const text = "a long message ".repeat(3000);
  await putRecords(
    vault,
    "chat_home",
    "messages",
    Array.from({ length: longMessages }, (_, n) => buildMessage(`long${n}`, n, { text })),
  );
});
afterAll(async () => {
  distrust?.();
  await store?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.each(proxies)("$name", ({ name, program, start }) => {
  const isRunnable = hasOpenssl && isInstalled(program);
  const needs = `(needs ${program} and openssl)`;
  let server: RunningServer;
  let proxy: Awaited<ReturnType<typeof start>>;
  let origin: string;
  beforeAll(async () => {
    if (!isRunnable) return;
    const port = await pickPort();
    origin = `https://localhost:${port}`;
    server = await serve({ dataDir, port: 0, host: "127.0.0.1", publicUrl: origin });
    const { certFile, keyFile } = authority.issue(`proxy-${port}`, ["DNS:localhost"]);
    const place = join(folder, `proxy-${port}`);
    mkdirSync(place);
    const backendPort = Number(new URL(server.localUrl ?? "").port);
    proxy = await start({ folder: place, port, backendPort, certFile, keyFile });
  });
  afterAll(async () => {
    await proxy?.stop();
    await server?.close();
  });

  /** With the request that asks. */
  async function countOpenRequests(): Promise<number> {
    const { token } = await issueOwnerToken(store, 1, "watcher", Date.now(), null);
    const answer = await fetch(`${server.localUrl}/metrics`, { headers: { authorization: `Bearer ${token}` } });
    return Number(/^http_server_active_requests (\d+)$/m.exec(await answer.text())?.[1]);
  }

  it.skipIf(!isRunnable)(`[OPS-11] [CON-1] leads the official client through consent ${needs}`, async () => {
    const provider = new TestOAuthClient(callback, name);
    const open = () => new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), { authProvider: provider });
    const first = open();
    await expect(new Client({ name: "test", version: "1" }).connect(first)).rejects.toThrow("Unauthorized");
    const person = createPerson(
      (request) => fetch(request, { redirect: "manual" }),
      (url) => !url.startsWith(origin),
    );
    const code = await createOwner({ store, ownerNo: 1, now: Date.now }).signIn.newCode();
    const consent = await person.send(await person.open(String(provider.authorizationUrl)), { code });
    expect([consent.status, new URL(consent.url).origin]).toEqual([200, origin]);
    expect([...person.cookies.keys()].every((cookie) => /^__Host-|^_/.test(cookie))).toBe(true);
    const back = new URL((await person.send(consent, { ...someText, act: "allow" })).url);
    expect(back.href).toMatch(/^http:\/\/localhost:41234\/callback\?/);
    await first.finishAuth(back.searchParams.get("code") ?? "");
    const client = new Client({ name: "test", version: "1" });
    await client.connect(open());
    const found = await client.callTool({ name: "query_records", arguments: { stream: "messages" } });
    expect(JSON.stringify(found)).toContain("chat_home/messages:");
    await client.close();
  });

  it.skipIf(!isRunnable)(`[OPS-11] streams an export while the server still writes it ${needs}`, async () => {
    const token = await sample.grant(everything);
    const answer = await fetch(`${origin}/v1/export?stream=messages&connection_id=chat_home`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(answer.status).toBe(200);
    let text = "";
    const decoder = new TextDecoder();
    let isRunning: boolean | undefined;
    for await (const chunk of answer.body!) {
      isRunning ??= (await countOpenRequests()) > 1;
      text += decoder.decode(chunk, { stream: true });
    }
    expect(isRunning).toBe(true);
    const lines = text.trim().split("\n");
    expect(lines.filter((line) => line.includes('"message'))).not.toEqual([]);
    expect(lines.length).toBeGreaterThanOrEqual(exported);
    expect(text.length).toBeGreaterThan(20e6);
  });

  it.skipIf(!isRunnable)(`[OPS-11] takes pushes and a large upload ${needs}`, async () => {
    const { token } = await issueOwnerToken(store, 1, "script", Date.now(), null);
    const bytes = randomBytes(30e6);
    const put = await fetch(`${origin}/v1/blobs?connection_id=chat_home`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/octet-stream" },
      body: bytes,
    });
    const digest = createHash("sha256").update(bytes).digest("hex");
    expect([put.status, await put.text()]).toEqual([
      expect.toSatisfy((status) => status < 300),
      expect.stringContaining(digest),
    ]);

    const id = `phone${randomBytes(4).toString("hex")}`;
    const owner = createOwner({ store, ownerNo: 1, now: Date.now });
    await owner.connections.add({ connector_key: "location", connection_id: id });
    const pushing = await owner.tokens.create({ name: id, may: ["push"], connection_ids: [id] });
    const settings = { accepts: "location", token_id: pushing.token_id };
    await owner.sources.add({ source_id: id, kind: "push", connection_id: id, settings });
    const location = { _type: "location", tst: 1_793_527_200, lat: 48.1351, lon: 11.582, topic: "owntracks/ada/pixel" };
    const sent = await fetch(`${origin}/v1/push/${id}`, {
      method: "POST",
      headers: { authorization: `Bearer ${pushing.token}`, "content-type": "application/json" },
      body: JSON.stringify(location),
    });
    expect([sent.status, await sent.json()]).toEqual([200, []]);
  });

  it.skipIf(!isRunnable)(
    `[OPS-11] forwards long paths, and tells strangers apart by their address ${needs}`,
    async () => {
      const token = await sample.grant(everything);
      const longId = "x".repeat(45_000);
      const answer = await fetch(`${origin}/v1/streams/messages/records/${longId}?connection_id=chat_home`, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect([answer.status, await answer.json()]).toMatchObject([
        expect.any(Number),
        { error: { code: expect.any(String) } },
      ]);
      let status = 0;
      for (let n = 0; n < 40 && status !== 429; n += 1) {
        const guess = await fetch(`${origin}/sign-in`, {
          method: "POST",
          headers: {
            "content-type": "application/x-www-form-urlencoded",
            origin,
            "x-forwarded-for": `203.0.113.${n}`,
          },
          body: "code=guess",
          redirect: "manual",
        });
        await guess.text();
        status = guess.status;
      }
      expect(status).toBe(429);
    },
  );
});
