import * as v2 from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample } from "@pdpp/test-support/vaults/sample";
import { TestOAuthClient } from "@pdpp/test-support/web/oauth-client";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createOwner } from "#server/owner/owner";
import { callback, origin, type Stage, someText, stage } from "./agent.ts";

/** A session of an official client, which connects or sends the owner to the consent page. */
interface Session {
  connect(): Promise<unknown>;
  finish(back: URLSearchParams): Promise<void>;
  read(): Promise<string>;
}

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;
const about = { name: "test", version: "1" };
const call = { name: "query_records", arguments: { stream: "messages" } };
const address = new URL(`${origin}/mcp`);

const generations = {
  "SDK 1": (authProvider: TestOAuthClient, fetch: Fetch): Session => {
    const transport = new StreamableHTTPClientTransport(address, { authProvider, fetch });
    const client = new Client(about);
    return {
      connect: () => client.connect(transport),
      finish: (back) => transport.finishAuth(back.get("code") ?? ""),
      read: async () => JSON.stringify(await client.callTool(call)),
    };
  },
  "SDK 2, 2025 era": (authProvider: TestOAuthClient, fetch: Fetch) =>
    createSecondSession(authProvider, fetch, "legacy"),
  "SDK 2, 2026 era": (authProvider: TestOAuthClient, fetch: Fetch) =>
    createSecondSession(authProvider, fetch, { pin: "2026-07-28" }),
};

function createSecondSession(authProvider: TestOAuthClient, fetch: Fetch, mode: "legacy" | { pin: string }): Session {
  const transport = new v2.StreamableHTTPClientTransport(address, { authProvider, fetch });
  const client = new v2.Client(about, { versionNegotiation: { mode } });
  return {
    connect: () => client.connect(transport),
    finish: (back) => transport.finishAuth(back),
    read: async () => JSON.stringify(await client.callTool(call)),
  };
}

describe.each(surfaceEngines)("the official clients, on %s", (engine) => {
  let vault: TestVault;
  beforeAll(async () => {
    vault = await createVault(engine);
    await createSample(vault);
  });
  afterAll(() => vault.drop());

  it.each(Object.entries(generations))(
    "[CON-1] [CON-6] %s connects, refreshes, is revoked, and asks again",
    async (name, sessionOf) => {
      // It logs to the console when a grant has ended.
      using _quiet = vi.spyOn(console, "warn").mockImplementation(() => undefined);
      const on = stage(vault);
      const provider = new TestOAuthClient(callback, name);
      const open = () => sessionOf(provider, (url, init) => on.fetch(new Request(url, init)));
      const first = open();
      await expect(first.connect()).rejects.toThrow("Unauthorized");
      await first.finish(await decideConsent(on, provider));
      const session = open();
      await session.connect();
      expect(await session.read()).toContain("message h");
      const before = provider.savedTokens?.access_token;
      on.wait(3_601_000);
      expect(await session.read()).toContain("message h");
      expect(provider.savedTokens?.access_token).not.toBe(before);
      const again = open();
      on.wait(3_601_000);
      await again.connect();
      expect(await again.read()).toContain("message h");

      const owner = createOwner({ store: vault.store, ownerNo: 1, now: on.now });
      const mine = (await owner.grants.list()).filter(({ client }) => client.name === name);
      await owner.grants.revoke(mine[0]?.package_id ?? "");
      await expect(session.read()).rejects.toThrow(/the owner revoked this/);
      provider.authorizationUrl = undefined;
      const anew = open();
      await expect(anew.connect()).rejects.toThrow("Unauthorized");
      await anew.finish(await decideConsent(on, provider));
      const back = open();
      await back.connect();
      expect(await back.read()).toContain("message h");
    },
  );
});

/** Approves the client's request as the owner. */
async function decideConsent(on: Stage, { authorizationUrl: asked }: TestOAuthClient): Promise<URLSearchParams> {
  const owner = on.owner();
  const page = await owner.send(await owner.open(String(asked)), { code: await on.code() });
  return new URL((await owner.send(page, { ...someText, act: "allow" })).url).searchParams;
}
