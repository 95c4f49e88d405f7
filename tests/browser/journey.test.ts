import { createServer, type Server } from "node:http";
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { type ServedVault, serveSampleVault } from "@pdpp/test-support/vaults/served-vault";
import { TestOAuthClient } from "@pdpp/test-support/web/oauth-client";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium, navigate, type Opened, openChromium, whyNot } from "./chromium.ts";
import { findFaults } from "./faults.ts";

/** The agent's loopback listener that receives the redirect. */
async function startListener(): Promise<{
  readonly url: string;
  readonly answer: Promise<URL>;
  readonly server: Server;
}> {
  const { promise, resolve } = Promise.withResolvers<URL>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    if (url.pathname === "/callback") resolve(url);
    response.setHeader("content-type", "text/html");
    response.end("<!doctype html><html lang=en><title>Done</title><h1>You can close this window</h1>");
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  return { url: `http://localhost:${port}/callback`, answer: promise, server };
}

/** The same client asking again. */
async function followRedirect(site: string, provider: TestOAuthClient): Promise<URL> {
  const { savedTokens: held } = provider;
  provider.savedTokens = undefined;
  const transport = new StreamableHTTPClientTransport(new URL(`${site}/mcp`), { authProvider: provider });
  await new Client({ name: "kitchen", version: "1" }).connect(transport).catch(() => undefined);
  provider.savedTokens = held;
  if (provider.authorizationUrl === undefined) throw new Error("the client did not ask");
  return provider.authorizationUrl;
}

async function requestUserCode(site: string): Promise<string> {
  const client = { client_name: "Test program", grant_types: ["urn:ietf:params:oauth:grant-type:device_code"] };
  const headers = { "content-type": "application/json" };
  const registered = await fetch(`${site}/oauth/register`, { method: "POST", headers, body: JSON.stringify(client) });
  const { client_id }: { client_id: string } = JSON.parse(await registered.text());
  const body = new URLSearchParams({ client_id, resource: `${site}/mcp` });
  const begun = await fetch(`${site}/oauth/device_authorization`, { method: "POST", body });
  const { user_code }: { user_code: string } = JSON.parse(await begun.text());
  return user_code;
}

/** A virtual authenticator that always succeeds. */
async function giveAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable");
  const options = {
    protocol: "ctap2",
    transport: "internal",
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    automaticPresenceSimulation: true,
  } as const;
  await session.send("WebAuthn.addVirtualAuthenticator", { options });
}

describe.skipIf(!hasChromium)(`in a real browser${whyNot}`, () => {
  let vault: ServedVault;
  let browser: Opened;
  beforeAll(async () => {
    [vault, browser] = await Promise.all([serveSampleVault(), openChromium()]);
  });
  afterAll(async () => {
    await browser?.close();
    await vault?.close();
  });

  it("[PAG-4] [CON-3] [PAG-2] [PAG-7] connects an agent to one account and two fields, lets it read those, and revokes it", async () => {
    const site = vault.url.replace("127.0.0.1", "localhost");
    const back = await startListener();
    const provider = new TestOAuthClient(back.url, "Kitchen helper");
    const createTransport = () => new StreamableHTTPClientTransport(new URL(`${site}/mcp`), { authProvider: provider });
    const createSdkClient = () => new Client({ name: "kitchen", version: "1" });
    const first = createTransport();
    await expect(createSdkClient().connect(first)).rejects.toThrow(UnauthorizedError);

    const page = await browser.newPage();
    await giveAuthenticator(page);
    const complaints: string[] = [];
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    const faults: string[] = [];
    const look = async () => void faults.push(...(await findFaults(page)));

    await page.goto(String(provider.authorizationUrl));
    await look();
    await page.getByLabel("Sign-in code").fill(vault.signInUrl);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { name: "Kitchen helper" }).waitFor();
    expect(await page.locator("input[type=checkbox]:checked").count()).toBe(0);
    await look();
    await navigate(page, () => page.getByRole("button", { name: "Choose individual fields" }).click());
    await page.getByRole("checkbox", { name: "Home" }).check();
    await page.getByText("Change what is read from Home").click();
    for (const field of await page.getByRole("group", { name: "Home" }).locator("[data-stream] input").all())
      await field.setChecked(/messages\/(id|text)$/.test((await field.getAttribute("value")) ?? ""));
    // The button says what it does, and the preview scrolls into view.
    await page.getByRole("button", { name: "Allow Kitchen helper to read 1 source for 30 days" }).waitFor();
    await navigate(page, () => page.getByRole("button", { name: "Preview what it would see" }).click());
    const preview = page.getByRole("region", { name: "Preview" });
    await preview.waitFor();
    expect(await preview.textContent()).not.toMatch(/likes|pinned|secret|CANARY/i);
    await look();
    expect(await page.evaluate("scrollY")).toBeGreaterThan(0);
    await page.getByRole("button", { name: "Allow Kitchen helper to read 1 source for 30 days" }).click();
    await page.getByRole("heading", { name: "You can close this window" }).waitFor();

    await first.finishAuth((await back.answer).searchParams.get("code") ?? "");
    const connected = createSdkClient();
    await connected.connect(createTransport());
    const call = (name: string, args: Record<string, unknown>) => connected.callTool({ name, arguments: args });
    const listed = JSON.stringify(await call("query_records", { stream: "messages", limit: 50 }));
    expect(listed).toContain("message h00");
    const all =
      listed + JSON.stringify(await call("schema", {})) + JSON.stringify(await call("search", { query: "message" }));
    for (const hidden of ["chat_work", "likes", "pinned", "channels", "message w", "CANARY"])
      expect(all).not.toContain(hidden);

    await page.goto(`${site}/agents`);
    await look();
    await page.getByRole("link", { name: "Kitchen helper", exact: true }).click();
    await page.getByRole("heading", { name: "Recent activity" }).waitFor();
    await look();
    await page.goto(`${site}/browsers`);
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByText("not used yet").waitFor();
    await look();
    await page.goto(String(await followRedirect(site, provider)));
    await page.getByRole("heading", { name: "It already has access" }).waitFor();
    await look();
    await page.goto(`${site}/device`);
    await look();
    await page.getByLabel("Code shown by the app").fill(await requestUserCode(site));
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("heading", { name: "Is this your app?" }).waitFor();
    await look();
    await page.goto(`${site}/browsers`);
    await page.getByRole("link", { name: "Agents" }).click();
    await page.getByRole("button", { name: "Revoke Kitchen helper" }).click();
    await page.getByRole("status").waitFor();
    expect(await page.getByRole("status").textContent()).toContain("Kitchen helper can't read anything any more");
    await look();
    await expect(call("schema", {})).rejects.toThrow(/the owner revoked this grant/);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByRole("heading", { level: 1, name: /day, \d+ / }).waitFor();

    expect(faults).toEqual([]);
    expect(complaints).toEqual([]);
    await connected.close();
    back.server.close();
    await page.close();
  });
});
