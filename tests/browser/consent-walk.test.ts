import { createServer, type Server } from "node:http";
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { type ServedVault, serveSampleVault } from "@pdpp/test-support/vaults/served-vault";
import { TestOAuthClient } from "@pdpp/test-support/web/oauth-client";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium, type Opened, openChromium, signIn, whyNot } from "./chromium.ts";
import { findFaults } from "./faults.ts";

/** From an agent's first request to its first answer, as an owner meets it. */

const maxClicks = 4;
const maxPresses = 12;
const done = "You can close this window";

interface Asked {
  /** Where the agent sends the owner's browser. */
  readonly url: string;
  /** The agent's first answer, once the owner has allowed it. */
  answer(): Promise<string>;
  close(): void;
}

/** An unmodified client that knows only the address, and waits for the owner. */
async function startAgent(site: string, name: string): Promise<Asked> {
  const { promise, resolve } = Promise.withResolvers<URL>();
  const server: Server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    if (url.pathname === "/callback") resolve(url);
    response.setHeader("content-type", "text/html");
    response.end(`<!doctype html><html lang=en><title>Done</title><h1>${done}</h1>`);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  const authProvider = new TestOAuthClient(`http://localhost:${port}/callback`, name);
  const createTransport = () => new StreamableHTTPClientTransport(new URL(`${site}/mcp`), { authProvider });
  const first = createTransport();
  await expect(new Client({ name, version: "1" }).connect(first)).rejects.toThrow(UnauthorizedError);
  return {
    url: String(authProvider.authorizationUrl),
    async answer() {
      await first.finishAuth((await promise).searchParams.get("code") ?? "");
      const client = new Client({ name, version: "1" });
      await client.connect(createTransport());
      const found = await client.callTool({ name: "search", arguments: { query: "message" } });
      await client.close();
      return JSON.stringify(found);
    },
    close: () => void server.close(),
  };
}

describe.skipIf(!hasChromium)(`the consent walk in a real browser${whyNot}`, () => {
  let vault: ServedVault;
  let browser: Opened;
  let site: string;
  let page: Page;
  const complaints: string[] = [];
  beforeAll(async () => {
    [vault, browser] = await Promise.all([serveSampleVault(), openChromium()]);
    site = vault.url.replace("127.0.0.1", "localhost");
    page = await browser.newPage();
    page.setDefaultTimeout(60_000);
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    await signIn(page, vault.signInUrl);
  });
  afterAll(async () => {
    await browser?.close();
    await vault?.close();
  });

  const readBar = async () => ({
    sentence: (await page.locator("[data-sentence]").textContent())?.trim(),
    counter: (await page.locator("[data-counter]").textContent())?.trim(),
    button: (await page.locator("[data-decide]").textContent())?.replaceAll(/\s+/g, " ").trim(),
    preset: await page.locator("input[name=preset]:checked").getAttribute("value"),
    isDisabled: await page.locator("[data-decide]").isDisabled(),
  });
  let presses = 0;
  const press = async (key: string): Promise<void> => {
    presses += 1;
    await page.keyboard.press(key);
  };
  const focusOn = async (selector: string): Promise<void> => {
    for (let tabs = 0; tabs < 60; tabs += 1) {
      await press("Tab");
      if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
    }
    throw new Error(`the keyboard does not reach ${selector}`);
  };
  const tick = (name: string) => page.getByRole("checkbox", { name, exact: false }).first();

  it("[CON-28] [CON-22] [CON-23] reaches the first answer with a few clicks", async () => {
    const agent = await startAgent(site, "Kitchen helper");
    let clicks = 1; // Sign in.
    await page.goto(agent.url);
    expect(await readBar()).toEqual({
      sentence: "Choose a starting point or at least one source.",
      counter: "none selected",
      button: "Allow nothing selected yet",
      preset: "choose",
      isDisabled: true,
    });
    expect(await page.locator("input[type=checkbox]:checked").count()).toBe(0);
    expect(await findFaults(page)).toEqual([]);
    await tick("Home").click();
    clicks += 1;
    expect(await readBar()).toMatchObject({
      sentence: expect.stringMatching(
        /^Kitchen helper can read Home without attachments, until \d+ \w+ \d{4}\. Anything/,
      ),
      counter: "1 of 3 selected",
      button: "Allow Kitchen helper to read 1 source for 30 days",
      preset: "choose",
      isDisabled: false,
    });
    expect(await page.getByText("Dates and texts. Also channels. No attachments, no other details.").isVisible()).toBe(
      true,
    );
    expect(await findFaults(page)).toEqual([]);
    await page.getByRole("button", { name: /^Allow/ }).click();
    clicks += 1;
    await page.getByRole("heading", { name: done }).waitFor();
    const answer = await agent.answer();
    expect([answer.includes(" h29"), / w\d|CANARY|likes/.test(answer)]).toEqual([true, false]);
    expect(clicks).toBeLessThanOrEqual(maxClicks);
    agent.close();
  });

  it("[CON-28] reaches the first answer with the keyboard alone", async () => {
    const agent = await startAgent(site, "Keyboard helper");
    await page.goto(agent.url);
    await focusOn("input[name=preset]");
    await page.keyboard.press("ArrowDown");
    expect((await readBar()).counter).toBe("3 of 3 selected");
    await focusOn("[data-clear]");
    await page.keyboard.press("Enter");
    expect(await readBar()).toMatchObject({ counter: "none selected", preset: "choose", isDisabled: true });
    // Clearing moves the focus to the first source.
    await page.keyboard.press("Space");
    await focusOn("summary");
    await page.keyboard.press("Enter");
    await focusOn("input[data-kind=files]");
    await page.keyboard.press("Space");
    expect((await readBar()).sentence).toMatch(/can read Home, until/);
    await focusOn("[data-decide]");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: done }).waitFor();
    expect(await agent.answer()).toContain(" h29");
    agent.close();
  });

  it("[CON-31] allows a preset with a few key presses", async () => {
    const agent = await startAgent(site, "Quick helper");
    await page.goto(agent.url);
    presses = 0;
    await focusOn("input[name=preset]");
    await press("ArrowDown");
    await focusOn("a[href='#decision']");
    expect(await findFaults(page)).toEqual([]);
    await press("Enter");
    expect(await page.evaluate("document.activeElement.textContent")).toContain("Quick helper can read");
    await focusOn("[data-decide]");
    await press("Enter");
    await page.getByRole("heading", { name: done }).waitFor();
    expect(presses).toBeLessThanOrEqual(maxPresses);
    expect(await agent.answer()).toContain(" h29");
    agent.close();
  });

  it("[CON-28] reaches the first answer on a phone in the dark, with targets large enough", async () => {
    const agent = await startAgent(site, "Phone helper");
    await page.setViewportSize({ width: 390, height: 844 });
    await page.emulateMedia({ colorScheme: "dark" });
    await page.goto(agent.url);
    await tick("Work").click();
    for (const target of await page.locator(".preset, .pick, .verdict button, summary:visible").all())
      expect((await target.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    const [cancel, allow] = await page.locator(".verdict button").all();
    expect((await cancel?.boundingBox())?.width).toBe((await allow?.boundingBox())?.width);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    // The bar is in view wherever the page is scrolled to.
    await page.evaluate("scrollTo(0, 0)");
    expect(await allow?.evaluate((button) => button.getBoundingClientRect().bottom)).toBeLessThanOrEqual(844);
    await page.getByRole("button", { name: "Allow 1 source for 30 days" }).click();
    await page.getByRole("heading", { name: done }).waitFor();
    expect(await agent.answer()).toContain(" w19");
    await page.setViewportSize({ width: 1280, height: 800 });
    agent.close();
  });

  it("[CON-25] [CON-23] [CON-22] ends every way of leaving something unticked in words", async () => {
    const agent = await startAgent(site, "Hasty helper");
    await page.goto(agent.url);
    const empty = {
      counter: "none selected",
      button: "Allow nothing selected yet",
      preset: "choose",
      isDisabled: true,
    };
    const openParts = () => page.getByText("Change what is read from Home").click();
    const parts = page.getByRole("group", { name: "Home" }).locator("input[data-kind]:checked");

    // A source, and then all of its parts unticked: the source goes too.
    await tick("Home").check();
    await openParts();
    for (let left = await parts.count(); left > 0; left -= 1) await parts.first().uncheck();
    expect(await readBar()).toMatchObject(empty);
    // One part ticked again ticks the source.
    await tick("Home").check();
    await parts.first().uncheck();
    expect(await readBar()).toMatchObject({ counter: "1 of 3 selected", isDisabled: false });
    // A preset, one source less, and then nothing.
    await page.getByRole("radio", { name: "Everything" }).check();
    expect(await readBar()).toMatchObject({ counter: "3 of 3 selected", preset: "everything" });
    expect((await readBar()).sentence).toMatch(/^Hasty helper can read Home, shop_1 and Work, until/);
    await tick("Work").uncheck();
    expect(await readBar()).toMatchObject({ counter: "2 of 3 selected", preset: "choose" });
    await page.getByRole("radio", { name: "Names, dates and titles only" }).check();
    expect((await readBar()).sentence).toContain("Home (names, dates and titles only)");
    await page.getByRole("button", { name: "Clear" }).click();
    expect(await readBar()).toMatchObject(empty);
    // Back and forth: the button agrees with what the browser restores.
    await tick("Work").check();
    await page.getByLabel("Access ends after").selectOption("7");
    expect((await readBar()).button).toBe("Allow Hasty helper to read 1 source for 7 days");
    await page.goto(`${site}/agents`);
    await page.goBack();
    await page.locator("[data-decide]").waitFor();
    const restored = await readBar();
    expect(restored.isDisabled).toBe(restored.counter === "none selected");
    agent.close();
  });

  it("[CON-24] says the same with scripts and without", async () => {
    const agent = await startAgent(site, "Plain helper");
    await page.goto(agent.url);
    const session = await page.context().newCDPSession(page);
    for (const names of [["Home"], ["Home", "shop_1"], ["Home", "Work", "shop_1"]]) {
      await page.goto(agent.url);
      for (const name of names) await tick(name).check();
      const { sentence } = await readBar();
      await session.send("Emulation.setScriptExecutionDisabled", { value: true });
      await page.goto(agent.url);
      for (const name of names) await tick(name).check();
      await page.getByRole("button", { name: "Review" }).click();
      await page.getByRole("button", { name: /^Allow Plain helper to read \d sources? for 30 days$/ }).waitFor();
      expect((await page.locator("main p").first().textContent())?.trim()).toBe(sentence);
      await session.send("Emulation.setScriptExecutionDisabled", { value: false });
      expect(await findFaults(page)).toEqual([]);
    }
    await page.getByRole("button", { name: /^Allow/ }).click();
    await page.getByRole("heading", { name: done }).waitFor();
    expect(await agent.answer()).toContain(" h29");
    expect(complaints).toEqual([]);
    agent.close();
  });
});
