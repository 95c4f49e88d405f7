import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningServer, serve } from "@pdpp/server/main";
import { openStore } from "@pdpp/server/store/store";
import type { TestVault } from "@pdpp/test-support/vaults/new-vault";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mail } from "#importers/formats/mail/mail";
import { whatsapp } from "#importers/formats/whatsapp/whatsapp";
import { createMemoryTree, importTree, openOwner } from "../../importers/support.ts";
import { hasChromium, type Opened, openChromium, signIn, whyNot } from "../chromium.ts";
import { findFaults } from "../faults.ts";

const elsewhere = "https://elsewhere.example";
const hostileHtml = `<html><head><base href="${elsewhere}/"><meta http-equiv="refresh" content="0;url=${elsewhere}/refresh">
<link rel="stylesheet" href="${elsewhere}/x.css"><link rel="preconnect" href="${elsewhere}"><style>@import url(${elsewhere}/y.css); body { background: url(${elsewhere}/bg.png) }
@font-face { font-family: f; src: u\\72l(${elsewhere}/f.woff) } p { font-family: f }</style><script>parent.hit = 1; top.location = "${elsewhere}"</script></head>
<body onload="parent.hit = 2"><p>The formatted lighthouse</p><img src="${elsewhere}/pixel.gif" onerror="parent.hit = 3"><svg onload="parent.hit = 4"><image href="${elsewhere}/svg.png"/></svg>
<form action="${elsewhere}/form"><input name="a" autofocus onfocus="parent.hit = 5"><button>Send</button></form><iframe src="${elsewhere}/frame"></iframe>
<a href="javascript:parent.hit = 6">run</a> <a href="${elsewhere}/click">click</a><video src="${elsewhere}/v.mp4" autoplay></video></body></html>`;
const hostileMail = [
  "Message-ID: <hostile@x.example>",
  "From: Noor Achterwald <noor@x.example>",
  "To: Ada Brambleby <ada@x.example>",
  "Date: 24 Feb 2026 08:30:00 +0000",
  "Subject: Formatted",
  "MIME-Version: 1.0",
  'Content-Type: multipart/alternative; boundary="b"',
  "",
  "--b\nContent-Type: text/plain\n\nThe plain lighthouse\n\nOn 19 Feb 2026, Ada wrote:\n> quoted words\n",
  `--b\nContent-Type: text/html; charset=utf-8\n\n${hostileHtml}`,
  "--b--",
].join("\n");

const chat = Array.from({ length: 300 }, (_, i) => {
  const clock = `${String(10 + Math.floor(i / 60)).padStart(2, "0")}:${String(i % 60).padStart(2, "0")}`;
  const text = i === 150 || i === 160 ? `message ${i} hears the foghorn` : `message ${i}`;
  return `13/01/2024, ${clock} - ${i % 3 === 0 ? "Ada" : "Cem"}: ${text}\n`;
}).join("");

describe.skipIf(!hasChromium).each([true, false])(`talk in a real browser${whyNot}, with scripts: %s`, (hasScripts) => {
  const home = mkdtempSync(join(tmpdir(), "pdpp-talk-"));
  let running: RunningServer;
  let browser: Opened;
  let page: Page;
  let site: string;
  const outside: string[] = [];
  beforeAll(async () => {
    const dataDir = join(home, "vault");
    const store = await openStore({ dataDir });
    const owner = await openOwner({ store, dataDir } as TestVault, Date.now);
    const files = { "mail.eml": hostileMail, "WhatsApp Chat with Cem.txt": chat };
    await importTree(owner, createMemoryTree(files, 0, 50_000), { importers: [mail, whatsapp] });
    await store.close();
    [running, browser] = await Promise.all([serve({ dataDir, port: 0, host: "127.0.0.1" }), openChromium()]);
    site = new URL(running.signInUrl).origin;
    page = await browser.newPage();
    page.on("request", (request) => {
      if (new URL(request.url()).origin !== site) outside.push(request.url());
    });
    const session = await page.context().newCDPSession(page);
    await session.send("Emulation.setScriptExecutionDisabled", { value: !hasScripts });
    await signIn(page, running.signInUrl, { hasScripts });
  });
  afterAll(async () => {
    await browser?.close();
    await running?.close();
    rmSync(home, { recursive: true, force: true });
  });

  it("[CSL-104] opens a hit scrolled to the middle and marked, and steps to the next by keyboard", async () => {
    await page.goto(`${site}/explore?q=foghorn`);
    await page.locator(".hits h2 a").first().press("Enter");
    const opened = page.locator("#match .bubble.opened");
    await opened.waitFor();
    expect(await opened.locator("mark").textContent()).toBe("foghorn");
    const isInMiddle = async () => {
      const box = await opened.boundingBox();
      return box !== null && box.y > 100 && box.y < 650;
    };
    await expect.poll(isInMiddle).toBe(true);
    const step = page.locator(".steps a").first();
    const before = page.url();
    await step.press("Enter");
    await page.waitForURL((url) => url.href !== before);
    await opened.waitFor();
    expect(await page.locator(".steps").textContent()).toMatch(/Match [12] of 2/);
    await page.getByRole("link", { name: /Results for/ }).click();
    await page.waitForURL("**/explore?q=foghorn");
  });

  it("[CSL-105] loads earlier and later messages, in place with scripts", async () => {
    await page.goto(`${site}/explore?q=foghorn`);
    await page.locator(".hits h2 a").first().click();
    await page.locator("#match").waitFor();
    const start = page.url();
    const count = () => page.locator("[data-turn]").count();
    expect(await count()).toBe(60);
    for (const [name, total] of [
      ["Earlier messages", 120],
      ["Later messages", 180],
    ] as const) {
      await page.getByRole("link", { name }).press("Enter");
      if (hasScripts) await expect.poll(count).toBe(total);
      else {
        await page.waitForURL((url) => url.href !== start);
        expect(await count()).toBe(60);
        await page.goBack();
      }
    }
    expect(page.url()).toBe(start);
    if (!hasScripts) return;
    const texts = await page.locator("[data-turn] .said").allTextContents();
    const numbers = texts.map((text) => Number(/message (\d+)/.exec(text)?.[1]));
    expect(numbers).toEqual(numbers.map((_, i) => (numbers[0] ?? 0) + i));
    expect(await page.locator(".day-line").count()).toBe(1);
  });

  it("[CSL-110] runs and loads nothing of a hostile mail", async () => {
    await page.goto(`${site}/explore?q=lighthouse`);
    await page.locator(".hits h2 a").first().click();
    await page.getByText("The plain lighthouse").waitFor();
    await page.getByRole("link", { name: "Formatted", exact: true }).click();
    const frame = page.frameLocator(".mail-frame");
    await frame.getByText("The formatted lighthouse").waitFor();
    await frame.getByText("click", { exact: true }).click();
    await frame.getByText("run", { exact: true }).click();
    await frame.getByText("The formatted lighthouse").waitFor();
    if (hasScripts) expect(await page.evaluate("globalThis.hit")).toBeUndefined();
    expect(page.url()).toContain(`${site}/mail?`);
    expect(await page.locator(".mail-modes").textContent()).toMatch(/remote images? w(?:as|ere) not loaded/);
    expect(outside).toEqual([]);
  });

  it.skipIf(!hasScripts)("[CSL-75] has no accessibility faults, in both schemes and on a phone", async () => {
    for (const words of ["foghorn", "lighthouse"]) {
      await page.goto(`${site}/explore?q=${words}`);
      await page.locator(".hits h2 a").first().click();
      await page.getByRole("link", { name: /Results for/ }).waitFor();
      expect(await findFaults(page)).toEqual([]);
    }
    await page.getByRole("link", { name: "Formatted", exact: true }).click();
    await page.locator(".mail-frame").waitFor();
    expect(await findFaults(page)).toEqual([]);
    expect(outside).toEqual([]);
  });
});
