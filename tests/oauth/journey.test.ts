import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample } from "@pdpp/test-support/vaults/sample";
import { TestOAuthClient } from "@pdpp/test-support/web/oauth-client";
import { readElementText } from "@pdpp/test-support/web/owner-pages";
import { createPerson, findForm, type VisitedPage } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "#server/app";
import { createSignInCode } from "#server/auth/sessions";
import { createOwner } from "#server/owner/owner";
import { callback, origin, stage, type Tokens } from "./agent.ts";

const readTokens = async (response: Response): Promise<Tokens> => JSON.parse(await response.text());

describe.each(surfaceEngines)("a client that only knows the URL, on %s", (engine) => {
  let vault: TestVault;
  beforeAll(async () => {
    vault = await createVault(engine);
    await createSample(vault);
  });
  afterAll(() => vault.drop());

  it("[CON-1] [CON-2] discovers the server, gets the access the owner selects, and reads just that", async () => {
    const { store } = vault;
    const app = createApp({ store });
    const fetch = async (url: string | URL | Request, init?: RequestInit) => app.fetch(new Request(url, init));
    const provider = new TestOAuthClient(callback);
    const createTransport = () =>
      new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), { authProvider: provider, fetch });
    const first = createTransport();
    const createSdkClient = () => new Client({ name: "test", version: "1" });
    await expect(createSdkClient().connect(first)).rejects.toThrow(UnauthorizedError);
    expect(provider.authorizationUrl?.pathname).toBe("/oauth/authorize");

    const owner = createPerson(
      (request) => Promise.resolve(app.fetch(request)),
      (url) => url.startsWith(callback),
    );
    const signIn = await owner.open(String(provider.authorizationUrl));
    expect(signIn.html).toContain("Sign in to your vault");
    const code = await createSignInCode(store, 1, Date.now());
    const consent: VisitedPage = await owner.send(signIn, { code });
    expect(consent.html).toContain("Test agent");
    expect(findForm(consent).fields.filter(({ kind }) => kind === "ticked")).toEqual([]);
    const answered = await owner.send(consent, {
      account: ["chat_home"],
      part: ["chat_home/messages/text"],
      act: "allow",
    });
    const back = new URL(answered.url);
    expect(`${back.origin}${back.pathname}`).toBe(callback);
    expect(back.searchParams.get("iss")).toBe(origin);
    await first.finishAuth(back.searchParams.get("code") ?? "");
    expect(provider.savedTokens?.access_token).toMatch(/^pdpp_client_/);
    expect(provider.savedTokens?.refresh_token).toBeDefined();

    const connected = createSdkClient();
    await connected.connect(createTransport());
    const read = await connected.callTool({ name: "query_records", arguments: { stream: "messages" } });
    expect(JSON.stringify(read.structuredContent)).toContain("text");
    expect(JSON.stringify(read)).not.toContain("secret");
    await connected.close();
  });

  it("[CON-1] gets the same challenge for every first request", async () => {
    const { fetch } = stage(vault);
    const challenges = await Promise.all(
      ["GET", "HEAD", "POST"].map(async (method) => {
        const { status, headers } = await fetch(new Request(`${origin}/mcp`, { method }));
        return [status, headers.get("www-authenticate")];
      }),
    );
    const same = [401, `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`];
    expect(challenges).toEqual([same, same, same]);
    for (const path of ["", "/mcp"]) {
      const response = await fetch(new Request(`${origin}/.well-known/oauth-authorization-server${path}`));
      expect(await response.json()).toMatchObject({
        issuer: origin,
        authorization_endpoint: `${origin}/oauth/authorize`,
        registration_endpoint: `${origin}/oauth/register`,
        code_challenge_methods_supported: ["S256"],
        scopes_supported: ["pdpp:read"],
      });
    }
  });

  it("[CON-3] gets one account and two fields when the owner selects just those", async () => {
    const on = stage(vault);
    const agent = await on.register();
    const owner = on.owner();
    const first = await on.consent(agent, owner);
    const single = await owner.send(first, { act: "by-field" });
    const ticked = { account: ["chat_home"], field: ["chat_home/messages/id", "chat_home/messages/text"] };
    const preview = await owner.send(single, { ...ticked, act: "preview" });
    expect(preview.html).toContain("Preview");
    const shown = preview.html.slice(preview.html.indexOf("Preview"));
    expect(shown).toContain("message h");
    expect(shown).not.toMatch(/likes|pinned|secret/i);
    const answered = await owner.send(preview, { act: "allow" });
    const tokens = await readTokens(await agent.exchange(new URL(answered.url).searchParams.get("code") ?? ""));
    const read = async (name: string, args: object) =>
      (await agent.mcp(tokens.access_token, "tools/call", { name, arguments: args })).text();
    const listed = await read("query_records", { stream: "messages", limit: 50 });
    expect(listed).toContain("message h");
    const all = listed + (await read("schema", {})) + (await read("search", { query: "message" }));
    for (const hidden of ["chat_work", "likes", "pinned", "channels", "message w"]) expect(all).not.toContain(hidden);
  });

  it("[CSL-15] is previewed with the exact output of its first call", async () => {
    const on = stage(vault);
    const agent = await on.register();
    const owner = on.owner();
    const single = await owner.send(await on.consent(agent, owner), { act: "by-field" });
    const ticked = { account: ["chat_home"], field: ["chat_home/messages/id", "chat_home/messages/text"] };
    const preview = await owner.send(single, { ...ticked, act: "preview" });
    const schema = preview.html.slice(preview.html.indexOf("tool-output schema"));
    const shown = readElementText({ ...preview, html: schema }, "pre");
    const answered = await owner.send(preview, { act: "allow" });
    const tokens = await readTokens(await agent.exchange(new URL(answered.url).searchParams.get("code") ?? ""));
    const answer = await agent.mcp(tokens.access_token, "tools/call", { name: "schema", arguments: {} });
    const { result }: { result: { content: { text: string }[] } } = JSON.parse(await answer.text());
    expect(shown.length).toBeGreaterThan(50);
    expect(shown).toBe(result.content[0]?.text);
  });

  it("[CON-2] [CON-3] gets the two fields it asked for, and the owner sees just those", async () => {
    const on = stage(vault);
    const agent = await on.register();
    const owner = on.owner();
    const detail = {
      type: "https://pdpp.dev/data-access",
      source: { id: "https://example.org/connectors/chat" },
      purpose_description: "to plan the week",
      streams: [{ name: "messages", fields: ["text", "sent_at"], instance_ids: ["chat_work"] }],
    };
    const page = await on.consent(agent, owner, { authorization_details: JSON.stringify([detail]) });
    expect(page.html).toContain("to plan the week");
    const ticked = findForm(page).fields.filter(({ kind }) => kind === "ticked");
    expect(ticked.map(({ value }) => value)).toEqual([
      "chat_work",
      "chat_work/messages/headings",
      "chat_work/messages/text",
    ]);
    expect(page.html).not.toMatch(/likes|channels/);
    expect(page.html).toContain("Anything not selected stays private, including Home and shop_1.");
    const answered = await owner.send(page, { act: "allow" });
    const tokens = await readTokens(await agent.exchange(new URL(answered.url).searchParams.get("code") ?? ""));
    expect(tokens.authorization_details).toMatchObject([
      { streams: [{ name: "messages", instance_ids: ["chat_work"], fields: ["sent_at", "text"] }] },
    ]);
  });

  it("[CON-2] gets nothing from a preset until the owner allows it", async () => {
    const on = stage(vault);
    const owner = on.owner();
    const { grants } = createOwner({ store: vault.store, ownerNo: 1, now: Date.now });
    const before = await grants.list();
    const page = await owner.send(await on.consent(await on.register(), owner), { preset: "headings", act: "edit" });
    const ticked = findForm(page).fields.filter(({ kind }) => kind === "ticked");
    expect(ticked.length).toBeGreaterThan(2);
    expect(ticked.every(({ name, value }) => name === "account" || value.endsWith("/headings"))).toBe(true);
    expect(await grants.list()).toEqual(before);
  });

  it("[CON-6] learns that the owner revoked it, and may ask again", async () => {
    const on = stage(vault);
    const agent = await on.register();
    const { access_token } = await on.granted(agent);
    const owner = createOwner({ store: vault.store, ownerNo: 1, now: Date.now });
    const grant = (await owner.grants.list()).at(-1);
    await owner.grants.revoke(grant?.package_id ?? "");
    const refused = await agent.mcp(access_token, "tools/call", { name: "schema", arguments: {} });
    expect(refused.status).toBe(403);
    expect(await refused.text()).toContain("revoked");
    const begun = await agent.mcp(access_token, "initialize", {});
    expect(begun.status).toBe(401);
    expect(begun.headers.get("www-authenticate")).toContain("resource_metadata");
    const again = await on.granted(agent);
    expect((await agent.mcp(again.access_token, "tools/list")).status).toBe(200);
  });

  it("[CON-2] learns that the owner denied access", async () => {
    const on = stage(vault);
    const agent = await on.register();
    const owner = on.owner();
    const page = await on.consent(agent, owner);
    const empty = await owner.send(page, { act: "allow" });
    expect(empty.status).toBe(422);
    const denied = new URL((await owner.send(empty, { act: "deny" })).url);
    expect(denied.searchParams.get("error")).toBe("access_denied");
    expect(denied.searchParams.get("state")).toBe("st");
  });
});
