import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample } from "@pdpp/test-support/vaults/sample";
import { findForm } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createOwner } from "#server/owner/owner";
import { raw } from "#server/store/engine/sql";
import { origin, type Stage, someText, stage } from "./agent.ts";

const call = { name: "query_records", arguments: { stream: "messages" } };
const readJson = async (response: Response): Promise<Record<string, unknown>> => JSON.parse(await response.text());

describe.each(surfaceEngines)("attacks on consent, on %s", (engine) => {
  let vault: TestVault;
  let on: Stage;
  beforeAll(async () => {
    vault = await createVault(engine);
    await createSample(vault);
  });
  beforeEach(() => {
    on = stage(vault);
  });
  afterAll(() => vault.drop());

  it("[CON-4] accepts a code once, and revokes its grant when it is used again", async () => {
    const agent = await on.register();
    const code = await on.allowed(agent);
    const first = await agent.exchange(code);
    const { access_token } = await readJson(first);
    expect((await agent.mcp(String(access_token), "tools/call", call)).status).toBe(200);
    const again = await agent.exchange(code);
    expect([again.status, (await readJson(again)).error]).toEqual([400, "invalid_grant"]);
    expect((await agent.mcp(String(access_token), "tools/call", call)).status).toBe(403);
  });

  it("[WEB-8] makes one grant when Allow is pressed six times, and none after Deny", async () => {
    const api = createOwner({ store: vault.store, ownerNo: 1, now: on.now });
    const countGrants = async (clientId: string) =>
      (await api.grants.list()).filter(({ client }) => client.client_id === clientId).length;
    const agent = await on.register();
    const owner = on.owner();
    const page = await on.consent(agent, owner);
    const presses = await Promise.all(Array.from({ length: 6 }, () => owner.send(page, { ...someText, act: "allow" })));
    expect(await countGrants(agent.clientId)).toBe(1);
    const codes = presses.map(({ url }) => new URL(url).searchParams.get("code")).filter((code) => code !== null);
    expect(codes.length).toBeGreaterThan(0);
    expect((await agent.exchange(codes[0] ?? "")).status).toBe(200);

    const other = await on.register();
    const asked = await on.consent(other, owner);
    const denied = await owner.send(asked, { act: "deny" });
    expect(new URL(denied.url).searchParams.get("error")).toBe("access_denied");
    await owner.send(asked, { ...someText, act: "allow" });
    expect(await countGrants(other.clientId)).toBe(0);
  });

  it("[CON-4] lets one of ten concurrent exchanges succeed", async () => {
    const agent = await on.register();
    const code = await on.allowed(agent);
    const all = await Promise.all(Array.from({ length: 10 }, () => agent.exchange(code)));
    expect(all.filter(({ status }) => status === 200).length).toBe(1);
  });

  it("[CON-4] issues no tokens without PKCE, with plain PKCE, a wrong verifier, or to another client", async () => {
    const agent = await on.register();
    const owner = on.owner();
    for (const more of [{ code_challenge: "" }, { code_challenge_method: "plain" }]) {
      const answered = await owner.open(agent.authorizeUrl(more));
      expect(new URL(answered.url).searchParams.get("error")).toBe("invalid_request");
    }
    const code = await on.allowed(agent, owner);
    const other = await on.register();
    const foreign = await other.exchange(code, { code_verifier: agent.verifier });
    expect([foreign.status, (await readJson(foreign)).error]).toEqual([400, "invalid_grant"]);
    const wrong = await agent.exchange(code, { code_verifier: "x".repeat(43) });
    expect([wrong.status, (await readJson(wrong)).error]).toEqual([400, "invalid_grant"]);
  });

  it.each([
    "http://localhost:41234/elsewhere",
    "http://127.0.0.1:41234/callback",
    "http://localhost:41234/callback#fragment",
    "https://evil.example/callback",
    "javascript:alert(1)",
    "http://192.168.1.5/callback",
  ])("[CON-4] never redirects to %s", async (redirect_uri) => {
    const agent = await on.register();
    const owner = on.owner();
    const page = await owner.open(agent.authorizeUrl({ redirect_uri }));
    expect(page.status).toBe(400);
    expect(page.url.startsWith(origin)).toBe(true);
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  });

  it.each([
    ["javascript:alert(1)"],
    ["http://evil.example/cb"],
    ["http://192.168.1.5/cb"],
    ["http://localhost:1/cb#x"],
    ["https://user@evil.example/cb"],
    ["https://*.example/cb"],
    ["myapp://callback"],
  ])("[CON-4] rejects the registration of %s", async (uri) => {
    await expect(on.register({ client_name: "x", redirect_uris: [uri] })).rejects.toThrow();
  });

  it("[CON-5] issues tokens for this server only", async () => {
    const agent = await on.register();
    const asked = await on.owner().open(agent.authorizeUrl({ resource: "https://other.example/mcp" }));
    expect(new URL(asked.url).searchParams.get("error")).toBe("invalid_target");
    const { access_token } = await on.granted(agent);
    await vault.store.engine.write((db) =>
      db.run(
        raw(`UPDATE token SET oauth = replace(oauth, '${origin}', 'https://other.example') WHERE oauth IS NOT NULL`),
      ),
    );
    expect((await agent.mcp(access_token, "tools/call", call)).status).toBe(401);
    const rest = await on.fetch(
      new Request(`${origin}/v1/streams`, { headers: { authorization: `Bearer ${access_token}` } }),
    );
    expect(rest.status).toBe(401);
  });

  it("[CON-6] accepts a used refresh token for half a minute, and revokes the grant after that", async () => {
    const agent = await on.register();
    const { refresh_token } = await on.granted(agent);
    const first = await agent.refresh(refresh_token);
    expect(first.status).toBe(200);
    const fresh = await readJson(first);
    expect((await agent.refresh(refresh_token)).status).toBe(200);
    on.wait(31_000);
    const stolen = await agent.refresh(refresh_token);
    expect([stolen.status, (await readJson(stolen)).error]).toEqual([400, "invalid_grant"]);
    expect((await agent.mcp(String(fresh.access_token), "tools/call", call)).status).toBe(403);
    expect((await agent.refresh(String(fresh.refresh_token))).status).toBe(400);
  });

  it("[CON-6] rejects an expired token, and a refresh gives another", async () => {
    const agent = await on.register();
    const held = await on.granted(agent);
    on.wait(3_601_000);
    const over = await agent.mcp(held.access_token, "tools/call", call);
    expect(over.status).toBe(401);
    expect(over.headers.get("www-authenticate")).toContain('error="invalid_token"');
    const { access_token } = await readJson(await agent.refresh(held.refresh_token));
    expect((await agent.mcp(String(access_token), "tools/call", call)).status).toBe(200);
  });

  it("[CON-6] refreshes nothing under a revoked or expired grant", async () => {
    const agent = await on.register();
    const owner = createOwner({ store: vault.store, ownerNo: 1, now: on.now });
    const revoked = await on.granted(agent);
    await owner.grants.revoke((await owner.grants.list()).at(-1)?.package_id ?? "");
    const ended = await on.granted(agent, { ...someText, days: "1" });
    on.wait(86_401_000);
    for (const { refresh_token } of [revoked, ended]) {
      const refused = await agent.refresh(refresh_token);
      expect([refused.status, (await readJson(refused)).error]).toEqual([400, "invalid_grant"]);
    }
  });

  it("[CON-6] rejects a refresh token of another client", async () => {
    const [agent, other] = [await on.register(), await on.register()];
    const { refresh_token } = await on.granted(agent);
    const refused = await other.refresh(refresh_token);
    expect([refused.status, (await readJson(refused)).error]).toEqual([400, "invalid_grant"]);
  });

  it("[CON-6] shows the owner that a reused refresh token ended the grant", async () => {
    const agent = await on.register();
    const { refresh_token } = await on.granted(agent);
    await agent.refresh(refresh_token);
    on.wait(31_000);
    await agent.refresh(refresh_token);
    const owner = createOwner({ store: vault.store, ownerNo: 1, now: on.now });
    const last = (await owner.grants.list()).at(-1);
    expect(last?.status).toBe("revoked");
    expect(JSON.stringify(await owner.log.read({ limit: 50 }))).toContain(
      `${last?.package_id}, by the authorization server`,
    );
  });

  it("[CON-4] accepts a pushed request once", async () => {
    const agent = await on.register();
    const owner = on.owner();
    const pushed = { client_id: agent.clientId, request_uri: await agent.push() };
    const url = `${origin}/oauth/authorize?${new URLSearchParams(pushed)}`;
    await owner.send(await owner.open(`${origin}/sign-in`), { code: await on.code() });
    const answered = await owner.send(await owner.open(url), { ...someText, act: "allow" });
    expect(new URL(answered.url).searchParams.get("code")).toBeTruthy();
    const again = new URL((await owner.open(url)).url).searchParams;
    expect([again.get("error"), again.get("code")]).toEqual(["invalid_request_uri", null]);
    const other = await on.register();
    const stolen = new URLSearchParams({ client_id: other.clientId, request_uri: await agent.push() });
    const refused = new URL((await owner.open(`${origin}/oauth/authorize?${stolen}`)).url).searchParams;
    expect([refused.get("error"), refused.get("code")]).toEqual(["invalid_request_object", null]);
  });

  it("[CON-7] shares nothing without the session's CSRF token, or from an outdated page", async () => {
    const agent = await on.register();
    const owner = on.owner();
    const page = await on.consent(agent, owner);
    const forged = await owner.send(page, { ...someText, act: "allow", csrf_token: "x" });
    expect(forged.status).toBe(403);
    const stale = await owner.send(page, { ...someText, act: "allow", revision: "older" });
    expect(stale.status).toBe(409);
    expect(findForm(stale).fields.filter(({ kind }) => kind === "ticked")).toEqual([]);
  });

  it("[CON-7] rejects a decision from another browser, and a second decision", async () => {
    const agent = await on.register();
    const owner = on.owner();
    const page = await on.consent(agent, owner);
    const other = on.owner();
    await other.send(await other.open(`${origin}/sign-in`), { code: await on.code() });
    expect((await other.open(page.url)).status).toBe(410);
    await owner.send(page, { act: "deny" });
    expect((await owner.open(page.url)).status).toBe(410);
  });

  it("[CON-10] stores no code, token or session in plain text", async () => {
    const agent = await on.register();
    const owner = on.owner();
    const answered = await owner.send(await on.consent(agent, owner), { ...someText, act: "allow" });
    const code = new URL(answered.url).searchParams.get("code") ?? "";
    const tokens = await readJson(await agent.exchange(code));
    const secrets = [code, String(tokens.access_token), String(tokens.refresh_token), ...owner.cookies.values()];
    const rows = await vault.store.engine.read(async (db) =>
      Promise.all(
        ["oauth_thing", "oauth_client", "token", "owner_session", "owner_link"].map((table) =>
          db.all(raw(`SELECT * FROM ${table}`)),
        ),
      ),
    );
    const dump = JSON.stringify(rows);
    expect(dump.length).toBeGreaterThan(500);
    for (const secret of secrets) if (secret.length > 20) expect(dump).not.toContain(secret);
  });
});
