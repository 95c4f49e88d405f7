import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium, navigate, type Opened, openChromium, signIn, whyNot } from "./chromium.ts";
import { createStoryVault, longText, type StoryVault } from "./story-vault.ts";

/** The whole story of an owner, from the sign-in link to a refused call, with and without scripts. */

async function connectAgent(site: string, token: string): Promise<Client> {
  const client = new Client({ name: "night script", version: "1" });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${site}/mcp`), { requestInit }));
  return client;
}

describe.skipIf(!hasChromium).each([true, false])(
  `a story in a real browser${whyNot}, with scripts: %s`,
  (hasScripts) => {
    let vault: StoryVault;
    let browser: Opened;
    let page: Page;
    const complaints: string[] = [];
    const elsewhere: string[] = [];
    const asked: string[] = [];
    beforeAll(async () => {
      [vault, browser] = await Promise.all([createStoryVault(), openChromium()]);
      page = await browser.newPage();
      page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
      page.on("pageerror", (error) => complaints.push(String(error)));
      page.on("request", (request) => {
        if (new URL(request.url()).origin !== vault.site) elsewhere.push(request.url());
        if (request.resourceType() === "script") asked.push(request.url());
      });
      const session = await page.context().newCDPSession(page);
      await session.send("Emulation.setScriptExecutionDisabled", { value: !hasScripts });
      await signIn(page, vault.signInUrl, { hasScripts });
    });
    afterAll(async () => {
      await browser?.close();
      await vault?.close();
    });
    const press = (name: string) => navigate(page, () => page.getByRole("button", { name, exact: true }).click());
    const follow = (name: string | RegExp) => navigate(page, () => page.getByRole("link", { name }).first().click());
    const openFirstHit = () => navigate(page, () => page.locator("ol.hits h2 a").first().click());
    const find = async (words: string): Promise<void> => {
      await page.getByRole("searchbox").fill(words);
      await navigate(page, () => page.getByRole("searchbox").press("Enter"));
      await page.getByRole("heading", { level: 1, name: words }).waitFor();
    };
    const readMain = async (): Promise<string> => (await page.locator("main").textContent()) ?? "";

    async function readToTheEnd(): Promise<string> {
      await follow("Continue reading");
      if (hasScripts) {
        const end = page.getByText("End of text.");
        const isThere = async () => {
          await page.mouse.wheel(0, 100_000);
          return end.count();
        };
        await expect.poll(isThere).toBe(1);
        return (await page.locator("[data-window]").textContent()) ?? "";
      }
      let text = "";
      for (;;) {
        text += (await page.locator("[data-window]").textContent()) ?? "";
        const next = page.getByRole("link", { name: "Continue reading" });
        if ((await next.count()) === 0) return text;
        await navigate(page, () => next.click());
      }
    }

    async function makeToken(): Promise<string> {
      await page.goto(`${vault.site}/agents`);
      await follow("Create a token for a script");
      await page.getByLabel("Name", { exact: true }).fill("Night script");
      await press("Choose individual fields");
      const home = page.getByRole("group", { name: "Home" });
      await home.getByRole("checkbox", { name: "Home" }).check();
      await page.getByText("Change what is read from Home").click();
      for (const field of await home.locator("[data-stream] input").all())
        await field.setChecked(/messages\/(id|sent_at|text)$/.test((await field.getAttribute("value")) ?? ""));
      await page.locator("button[value=allow]").click();
      await page.getByRole("heading", { name: "Token for Night script" }).waitFor();
      return /pdpp_client_[\w-]{43}/.exec(await readMain())?.[0] ?? "";
    }

    async function bringIn(): Promise<void> {
      await page.goto(`${vault.site}/import`);
      if (hasScripts) {
        const name = JSON.stringify("WhatsApp Chat with Cem.txt");
        const dropped = await page.evaluateHandle(
          `(() => { const data = new DataTransfer(); data.items.add(new File([${JSON.stringify(vault.chat.text)}], ${name})); return data; })()`,
        );
        await page.dispatchEvent("form.drop", "drop", { dataTransfer: dropped });
      } else {
        await page.locator("input[type=file]").setInputFiles(vault.chat.file);
        await page.getByRole("button", { name: "Preview import" }).first().click();
      }
      await page.getByRole("heading", { name: "Review import" }).waitFor();
      await page.getByLabel(/time zone/).fill("UTC");
      await page.getByRole("button", { name: /^Import \d/ }).click();
      await page.getByRole("heading", { name: "Import report", exact: true }).waitFor();
    }

    it("[CSL-74] searches, reads, views versions, connects an agent, impersonates it, watches it, and revokes it", async () => {
      await find("lighthouse");
      await openFirstHit();
      await page.getByRole("heading", { name: "Text" }).first().waitFor();
      const beginning = (await page.locator(".prose").first().textContent()) ?? "";
      expect(beginning.length).toBeLessThan(longText.length);
      expect(beginning + (await readToTheEnd())).toBe(longText);

      await find("harbour");
      await openFirstHit();
      expect(await readMain()).toContain("We meet on Friday");
      await follow("Version 1");
      expect(await page.locator("del").allTextContents()).toContain("Tuesday");

      const token = await makeToken();
      await follow("View or revoke its access");
      await follow("See what it sees");
      await find("lighthouse");
      await openFirstHit();
      await page.getByText("Viewing as Night script").waitFor();
      expect(await readMain()).toContain("The keeper of the lighthouse");
      expect(await page.content()).not.toMatch(/CANARY|[Ss]ecret|chat_work/);
      await follow("Exit");
      await page.goto(`${vault.site}/record?id=${encodeURIComponent("chat_home/messages:logbook")}`);
      expect(await page.content()).toContain("CANARY-logbook");

      const client = await connectAgent(vault.site, token);
      const found = JSON.stringify(await client.callTool({ name: "search", arguments: { query: "harbour" } }));
      expect(found).toContain("We meet on Friday");
      await page.goto(`${vault.site}/activity`);
      await expect
        .poll(async () => {
          await page.reload();
          return readMain();
        })
        .toMatch(/Night script[\s\S]*searched/);

      await page.goto(`${vault.site}/agents`);
      await press("Revoke Night script");
      await page.getByText("Night script can't read anything any more").waitFor();
      await expect(client.callTool({ name: "search", arguments: { query: "harbour" } })).rejects.toThrow(
        /the owner revoked this grant/,
      );
      await client.close();

      await bringIn();
      await find("attic thermostat");
      expect(await page.locator("ol.hits").textContent()).toContain("the attic thermostat");

      expect([complaints, elsewhere]).toEqual([[], []]);
      if (hasScripts) expect(asked.length).toBeGreaterThan(0);
    });

    /** Presses Tab until an element with this name has the focus. */
    async function pressTabUntil(name: string | RegExp): Promise<void> {
      const wanted = typeof name === "string" ? new RegExp(`^${name}$`) : name;
      const called = "(document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent).trim()";
      for (let presses = 0; presses < 150; presses += 1) {
        await page.keyboard.press("Tab");
        if (wanted.test(String(await page.evaluate(called)))) return;
      }
      throw new Error(`no Tab leads to ${String(name)} on ${page.url()}`);
    }

    it("[CSL-75] finds a record and revokes a grant with the keyboard alone", async () => {
      await page.goto(`${vault.site}/`);
      await pressTabUntil("Skip to content");
      await pressTabUntil("Search everything");
      await page.keyboard.type("lighthouse");
      await navigate(page, () => page.keyboard.press("Enter"));
      await pressTabUntil(/^messages, 2026/);
      await page.keyboard.press("Enter");
      await page.locator(".prose").first().waitFor();
      await makeToken();
      await page.goto(`${vault.site}/`);
      await pressTabUntil("Agents");
      await navigate(page, () => page.keyboard.press("Enter"));
      await pressTabUntil(/^Revoke\s+Night script/);
      await page.keyboard.press("Enter");
      await page.getByText("Night script can't read anything any more").waitFor();
      expect(complaints).toEqual([]);
    });
  },
);
