import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningServer, serve } from "@pdpp/server/main";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium, navigate, type Opened, openChromium, signIn, whyNot } from "../chromium.ts";
import { findFaults } from "../faults.ts";

describe.skipIf(!hasChromium)(`days, home and the dialog to go anywhere in a real browser${whyNot}`, () => {
  const home = mkdtempSync(join(tmpdir(), "pdpp-days-"));
  let running: RunningServer;
  let browser: Opened;
  let page: Page;
  let site: string;
  const complaints: string[] = [];
  beforeAll(async () => {
    [running, browser] = await Promise.all([
      serve({ dataDir: join(home, "vault"), port: 0, host: "127.0.0.1", demo: true }),
      openChromium(),
    ]);
    site = new URL(running.signInUrl).origin;
    page = await browser.newPage();
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("request", (request) => !request.url().startsWith(site) && complaints.push(request.url()));
    await signIn(page, running.signInUrl);
  });
  afterAll(async () => {
    await browser?.close();
    await running?.close();
    rmSync(home, { recursive: true, force: true });
  });

  it("[CSL-135] moves through the strip and the days by keyboard", async () => {
    await page.goto(`${site}/day/2026-10-28`);
    await page.locator("#strip:not([data-counting])").waitFor();
    await page.locator("#strip a[aria-current]").focus();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowUp");
    expect(await page.evaluate("document.activeElement.textContent")).toContain("Tuesday, 20 October 2026");
    expect(await page.locator("#strip a:not([tabindex])").count()).toBe(1);
    await page.keyboard.press("Enter");
    await page.waitForURL(`${site}/day/2026-10-20`);
    await navigate(page, () => page.getByRole("link", { name: /^Next day/ }).click());
    await page.getByRole("heading", { level: 1, name: "Wednesday, 21 October 2026" }).waitFor();
    await page.keyboard.press("j");
    expect(await page.evaluate("document.activeElement.closest('.spine > li') !== null")).toBe(true);
    await page.getByLabel("Go to a date").fill("2026-10-28");
    await page.getByRole("button", { name: "Go", exact: true }).click();
    await page.waitForURL(`${site}/day/2026-10-28`);
    expect(complaints).toEqual([]);
  });

  it("[CSL-133] [CSL-138] has no faults in both colour schemes, and fits a phone", async () => {
    for (const path of ["/day/2026-10-28", "/day/2026-11-18", "/", "/explore", "/go"]) {
      await page.goto(`${site}${path}`);
      expect(await findFaults(page)).toEqual([]);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${site}/day/2026-10-28`);
    // The strip scrolls to the day, which is in its last quarter.
    expect(await page.evaluate<number>("document.querySelector('#strip').scrollLeft")).toBeGreaterThan(300);
    await page.setViewportSize({ width: 1280, height: 800 });
    expect(complaints).toEqual([]);
  });

  it("[CSL-138] counts by itself, and leads from the strip to a day", async () => {
    await page.goto(`${site}/`);
    await page.locator("#strip:not([data-counting])").waitFor();
    const bar = page.locator("#strip .bars a", { hasText: "28 October 2026" });
    await bar.click();
    await page.waitForURL(`${site}/day/2026-10-28`);
  });

  it("[CSL-142] goes to pages and agents by name, and searches for the rest", async () => {
    const dialog = page.getByRole("dialog", { name: "Go to" });
    await page.goto(`${site}/settings`);
    await page.keyboard.press("Control+k");
    await dialog.waitFor();
    expect(await findFaults(page)).toEqual([]);
    await page.keyboard.press("Escape");
    expect(await dialog.isVisible()).toBe(false);
    await page.keyboard.press("Meta+k");
    await page.keyboard.type("activ");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${site}/activity`);
    await page.keyboard.press("Control+k");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${site}/explore`);
    await page.keyboard.press("Control+k");
    await page.keyboard.type("boiler invoice");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${site}/explore?q=boiler+invoice`);
    expect(complaints).toEqual([]);
  });
});
