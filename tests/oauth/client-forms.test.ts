import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { origin, type Stage, someText, stage } from "./agent.ts";

/** Requests recorded from real clients: discovery order, registrations, and parameters copied from other servers. */

const path = "/.well-known/oauth-protected-resource/mcp";
const bare = "/.well-known/oauth-protected-resource";
const server = "/.well-known/oauth-authorization-server";
const looks: Readonly<Record<string, readonly string[]>> = {
  "the SDKs, Cline, goose, Inspector": ["POST /mcp", path, server],
  "Claude Code": [path, server, path, server, "POST /mcp"],
  Codex: ["GET /mcp", path, server, "GET /mcp", path, server],
  Copilot: ["POST /mcp", path, "POST /mcp", server],
  "Gemini CLI": ["POST /mcp", "HEAD /mcp", path, server, server],
  "Qwen Code": ["POST /mcp", bare, server, server],
  "mcp-remote": ["GET /mcp", path, server, "GET /mcp", "POST /mcp", path, server],
};

const usual = { token_endpoint_auth_method: "none", grant_types: ["authorization_code", "refresh_token"] };
const formatLoopbackUrl = (redirect: string) => ({ ...usual, response_types: ["code"], redirect_uris: [redirect] });
const registrations: Readonly<Record<string, { body: object; redirect: string }>> = {
  "Claude Code": {
    body: formatLoopbackUrl("http://localhost:53111/callback"),
    redirect: "http://localhost:53111/callback",
  },
  opencode: {
    body: { ...formatLoopbackUrl("http://127.0.0.1:19876/mcp/oauth/callback"), scope: "openid profile email" },
    redirect: "http://127.0.0.1:19876/mcp/oauth/callback",
  },
  "Gemini CLI": {
    body: formatLoopbackUrl("http://localhost:44123/oauth/callback"),
    redirect: "http://localhost:44123/oauth/callback",
  },
  "Qwen Code": {
    body: { ...formatLoopbackUrl("http://localhost:7777/oauth/callback"), code_challenge_method: ["S256"] },
    redirect: "http://localhost:7777/oauth/callback",
  },
  "mcp-remote": {
    body: {
      ...formatLoopbackUrl("http://localhost:18776/oauth/callback"),
      application_type: "native",
      contacts: ["x@example.org"],
    },
    redirect: "http://localhost:18776/oauth/callback",
  },
  Cursor: {
    body: {
      ...usual,
      redirect_uris: [
        "cursor://anysphere.cursor-mcp/oauth/callback",
        "https://www.cursor.com/agents/mcp/oauth/callback",
        "http://localhost:8787/callback",
      ],
    },
    redirect: "cursor://anysphere.cursor-mcp/oauth/callback",
  },
  "VS Code": {
    body: { ...usual, redirect_uris: ["https://vscode.dev/redirect", "http://127.0.0.1/", "http://127.0.0.1:33418/"] },
    redirect: "http://127.0.0.1:50999/",
  },
  "claude.ai": {
    body: { ...formatLoopbackUrl("https://claude.ai/api/mcp/auth_callback"), client_uri: "https://claude.ai" },
    redirect: "https://claude.ai/api/mcp/auth_callback",
  },
};

describe.each(surfaceEngines)("requests of real clients, on %s", (engine) => {
  let vault: TestVault;
  let on: Stage;
  beforeAll(async () => {
    vault = await createVault(engine);
    await createSample(vault);
    on = stage(vault);
  });
  afterAll(() => vault.drop());

  it.each(Object.entries(looks))("[CON-1] %s find the metadata in the order they look for it", async (_, steps) => {
    for (const step of steps) {
      const [method, asked] = step.startsWith("/") ? ["GET", step] : step.split(" ");
      const response = await on.fetch(new Request(`${origin}${asked}`, { method: method ?? "GET" }));
      const isMcp = asked === "/mcp";
      expect([step, response.status]).toEqual([step, isMcp ? 401 : 200]);
      if (isMcp) expect(response.headers.get("www-authenticate")).toContain(`${origin}${path}`);
    }
  });

  it.each(Object.entries(registrations))(
    "[CON-1] %s registers and asks in its own way, is connected, and refreshes",
    async (name, { body, redirect }) => {
      const agent = await on.register({ client_name: name, ...body });
      const owner = on.owner();
      // Scopes and prompts that this server doesn't have.
      const more = { redirect_uri: redirect, scope: "openid offline_access mcp", prompt: "select_account" };
      const page = await on.consent(agent, owner, more);
      const source = page.headers.get("content-security-policy") ?? "";
      const { origin: target, protocol } = new URL(redirect);
      expect(source).toContain(`form-action 'self' ${target === "null" ? protocol : target}`);
      const answered = await owner.send(page, { ...someText, act: "allow" });
      expect(answered.url.startsWith(redirect)).toBe(true);
      expect([302, 303]).toContain(answered.status);
      const code = new URL(answered.url).searchParams.get("code") ?? "";
      const exchanged = await agent.exchange(code, { redirect_uri: redirect });
      const { refresh_token, scope } = (await exchanged.json()) as { refresh_token: string; scope: string };
      expect([exchanged.status, scope]).toEqual([200, "pdpp:read"]);
      const form = { grant_type: "refresh_token", refresh_token, resource: `${origin}/mcp` };
      for (const again of [{}, { scope: "openid offline_access mcp" }])
        expect((await agent.token({ ...form, ...again })).status).toBe(200);
    },
  );

  it("[CON-9] errors for people are pages", async () => {
    const agent = await on.register();
    const owner = on.owner();
    const page = await on.consent(agent, owner);
    const forged = await owner.send(page, { act: "allow", csrf_token: "x" });
    expect([forged.status, forged.headers.get("content-type")]).toEqual([403, "text/html; charset=utf-8"]);
    expect(forged.html).toContain("Reload the page and try again");
    on.freeze();
    let last = forged;
    for (let n = 0; n < 40 && last.status !== 429; n += 1)
      last = await owner.send(await owner.open(`${origin}/device`), { user_code: "BCDF-GHJK" });
    expect([last.status, last.headers.get("x-frame-options")]).toEqual([429, "DENY"]);
    expect(last.html).toContain("<h1>");
  });
});
