import { createVault, engineNames, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createOwner } from "#server/owner/owner";
import { origin, type Server, someText, stage } from "./agent.ts";
import { createDeviceClient } from "./device.ts";

const call = { name: "query_records", arguments: { stream: "messages" } };

/** The authorization server is loaded lazily. */
async function warmUp(server: Server): Promise<Server> {
  await server.fetch(new Request(`${origin}/.well-known/oauth-authorization-server`));
  return server;
}

describe.each(engineNames)("several servers over one vault, on %s", (engine) => {
  let vault: TestVault;
  let servers: Server[];
  let close: () => Promise<void>;
  beforeAll(async () => {
    vault = await createVault(engine);
    await createSample(vault);
    const { dataDir, databaseUrl, store } = vault;
    // Separate module graphs, like separate processes: the servers share no memory.
    vi.resetModules();
    const { createApp } = await import("#server/app");
    servers = [await warmUp(createApp({ store }))];
    vi.resetModules();
    const fresh = { ...(await import("#server/app")), ...(await import("#server/store/store")) };
    const other = await fresh.openStore({ dataDir, ...(databaseUrl === undefined ? {} : { databaseUrl }) });
    servers.push(await warmUp(fresh.createApp({ store: other })));
    close = () => other.close();
  });
  afterAll(async () => {
    await close();
    await vault.drop();
  });

  it("[CON-12] connect a client even if every request goes to another server", async () => {
    const on = stage(vault, servers);
    // An extra request shifts the order, so that each step reaches each server once.
    for (const before of [0, 1]) {
      for (let n = 0; n < before; n += 1) await on.fetch(new Request(`${origin}/healthz`));
      const agent = await on.register();
      const { access_token, refresh_token } = await on.granted(agent);
      for (let n = 0; n < 2; n += 1) expect((await agent.mcp(access_token, "tools/call", call)).status).toBe(200);
      const refreshed = (await (await agent.refresh(refresh_token)).json()) as { access_token: string };
      for (let n = 0; n < 2; n += 1)
        expect((await agent.mcp(refreshed.access_token, "tools/call", call)).status).toBe(200);
      const owner = createOwner({ store: vault.store, ownerNo: 1, now: on.now });
      await owner.grants.revoke((await owner.grants.list()).at(-1)?.package_id ?? "");
      for (let n = 0; n < 2; n += 1)
        expect((await agent.mcp(refreshed.access_token, "tools/call", call)).status).toBe(403);
    }
  });

  it("[CON-12] [CON-13] complete the device flow in the same way", async () => {
    const on = stage(vault, servers);
    for (const before of [0, 1]) {
      for (let n = 0; n < before; n += 1) await on.fetch(new Request(`${origin}/healthz`));
      const device = await createDeviceClient(on);
      const asked = await device.begin();
      await device.approve(asked);
      const response = await device.poll(asked);
      expect(await response.text()).toContain("access_token");
    }
  });

  it("[CON-4] [CON-12] accept a pushed request at the other server, once", async () => {
    const on = stage(vault, servers);
    const agent = await on.register();
    const owner = on.owner();
    await owner.send(await owner.open(`${origin}/sign-in`), { code: await on.code() });
    const pushed = { client_id: agent.clientId, request_uri: await agent.push() };
    const url = `${origin}/oauth/authorize?${new URLSearchParams(pushed)}`;
    const answered = await owner.send(await owner.open(url), { ...someText, act: "allow" });
    expect(new URL(answered.url).searchParams.get("code")).toBeTruthy();
    expect(new URL((await owner.open(url)).url).searchParams.get("error")).toBe("invalid_request_uri");
  });

  it("[CON-12] let one of ten exchanges of the same code succeed", async () => {
    const on = stage(vault, servers);
    const agent = await on.register();
    const code = await on.allowed(agent);
    const all = await Promise.all(Array.from({ length: 10 }, () => agent.exchange(code)));
    expect(all.filter(({ status }) => status === 200).length).toBe(1);
  });

  it("[CON-12] lose nothing in a restart", async () => {
    const before = stage(vault);
    const agent = await before.register();
    const owner = before.owner();
    const page = await before.consent(agent, owner);
    await vault.reopen();
    const after = stage(vault);
    const moved = after.owner();
    moved.take(owner.cookies);
    const answered = await moved.send(page, { ...someText, act: "allow" });
    const code = new URL(answered.url).searchParams.get("code") ?? "";
    await vault.reopen();
    const again = stage(vault);
    const response = await again.as(agent.clientId, agent.verifier).exchange(code);
    expect(response.status).toBe(200);
  });
});
