import { type ServedVault, serveSampleVault } from "@pdpp/test-support/vaults/served-vault";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium, navigate, type Opened, openChromium, signIn, whyNot } from "./chromium.ts";
import { findFaults } from "./faults.ts";

describe.skipIf(!hasChromium)(`the Agents page in a real browser${whyNot}`, () => {
  let vault: ServedVault;
  let browser: Opened;
  let page: Page;
  beforeAll(async () => {
    [vault, browser] = await Promise.all([serveSampleVault(), openChromium()]);
    await browser.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    page = await browser.newPage();
    await signIn(page, vault.signInUrl);
  });
  afterAll(async () => {
    await browser?.close();
    await vault?.close();
  });

  const getSite = () => new URL(vault.signInUrl).origin;
  const mcp = () => `${getSite()}/mcp`;
  const findStep = (state: string, text: string) => page.locator(`#steps li.${state}`, { hasText: text });

  it("[CSL-85] copies a command, and is used by keyboard", async () => {
    await page.goto(`${getSite()}/agents`);
    expect(await findFaults(page)).toEqual([]);
    await page.getByRole("link", { name: "Codex" }).focus();
    await navigate(page, () => page.keyboard.press("Enter"));
    const copy = page.getByRole("button", { name: "Copy the command for Codex" });
    await copy.focus();
    await page.keyboard.press("Enter");
    await page.locator("[data-copied]", { hasText: "Copied" }).waitFor({ state: "attached" });
    expect(await copy.textContent()).toBe("Copied");
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(`codex mcp add pdpp --url ${mcp()}`);
    await findStep("done", "Command copied").waitFor();
    await findStep("current", "Waiting for Codex").waitFor();
    await page.locator("[data-copied]:empty").waitFor({ state: "attached" });
    expect(await copy.textContent()).toBe("Copy");
    await page.setViewportSize({ width: 390, height: 844 });
    for (const tab of await page.locator(".agent-tabs a").all())
      expect((await tab.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it("[CSL-86] [CSL-88] follows an agent from its request to its first read", async () => {
    await page.goto(`${getSite()}/agents?agent=codex`);
    const redirectUri = "http://localhost:41234/callback";
    const registration = await fetch(`${getSite()}/oauth/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ client_name: "Night owl", redirect_uris: [redirectUri] }),
    });
    const { client_id } = (await registration.json()) as { client_id: string };
    await browser.context.route(`${redirectUri}*`, (route) => route.fulfill({ body: "You can close this tab." }));
    const other = await browser.newPage();
    const query = new URLSearchParams({
      client_id,
      response_type: "code",
      redirect_uri: redirectUri,
      code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
      code_challenge_method: "S256",
      resource: mcp(),
    });
    await other.goto(`${getSite()}/oauth/authorize?${query}`);
    await other.getByRole("heading", { name: /Night owl/ }).waitFor();
    await page.bringToFront();
    await findStep("current", "You choose").waitFor();
    await page.getByRole("heading", { name: "Night owl is asking for access" }).waitFor();
    expect(await findFaults(page)).toEqual([]);
    await page.getByRole("button", { name: "Decline Night owl" }).click();
    await page.waitForURL(/error=access_denied/);
    await other.close();
    await page.goto(`${getSite()}/agents`);
    expect(await page.getByText("is asking for access").count()).toBe(0);
  });

  it("[CSL-87] revokes at once, counts down, and undoes it", async () => {
    const headers = { authorization: `Bearer ${vault.token}` };
    const read = async () => (await fetch(`${vault.url}/v1/streams`, { headers })).status;
    const press = () => page.getByRole("button", { name: /^Revoke/ }).click();
    await page.goto(`${getSite()}/agents`);
    await press();
    const toast = page.locator(".toast");
    await toast.getByText("can't be taken back").waitFor();
    expect(await read()).toBe(403);
    expect(await findFaults(page)).toEqual([]);
    await toast.getByRole("button", { name: "Undo" }).click();
    await page.getByText("has the same access again").waitFor();
    expect(await read()).toBe(200);
    await press();
    await page.mouse.move(0, 0);
    await toast.waitFor({ state: "hidden" });
    expect([await read(), new URL(page.url()).search]).toEqual([403, ""]);
  });
});
