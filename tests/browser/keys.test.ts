import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningServer, serve } from "@pdpp/server/main";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium, type Opened, openChromium, signIn, whyNot } from "./chromium.ts";
import { findFaults } from "./faults.ts";

describe.skipIf(!hasChromium)(`keys, times and the live log in a real browser${whyNot}`, () => {
  const home = mkdtempSync(join(tmpdir(), "pdpp-keys-"));
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
    await signIn(page, running.signInUrl);
  });
  afterAll(async () => {
    await browser?.close();
    await running?.close();
    rmSync(home, { recursive: true, force: true });
  });
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const readFocused = (): Promise<string> => page.evaluate("document.activeElement.textContent.trim()");
  const readAsAgent = async (): Promise<void> => {
    const headers = { authorization: `Bearer ${running.demoToken}` };
    const answer = await fetch(`${running.url}/v1/search?q=boiler`, { headers });
    expect(answer.status).toBe(200);
    await answer.text();
  };

  it("[CSL-50] search, step through results and open one", async () => {
    await page.goto(`${site}/`);
    await press("/");
    await page.keyboard.type("boiler invoice");
    await press("Enter");
    await page.waitForURL("**/explore?q=boiler+invoice");
    const second = await page.locator(".hits > li").nth(1).locator("h2").textContent();
    await press("j", "j", "j", "k");
    expect(
      await page.evaluate("document.activeElement.closest('li') === document.querySelectorAll('.hits > li')[1]"),
    ).toBe(true);
    await press("o");
    // The second hit may open in its conversation or as a mail.
    await page.waitForURL((url) => url.pathname !== "/explore");
    expect(second).not.toBe("");
    expect(complaints).toEqual([]);
  });

  it("[CSL-50] go to each page, and open and close the list of shortcuts", async () => {
    const rooms = { h: "/", e: "/explore", d: "/day/*", a: "/agents", l: "/activity", s: "/settings" };
    for (const [key, path] of Object.entries(rooms)) {
      await press("g", key);
      await page.waitForURL(`${site}${path}`);
    }
    const list = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    expect(await list.isVisible()).toBe(false);
    await press("?");
    await list.waitFor();
    // While it is open, shortcuts do nothing.
    await press("g", "h");
    expect(page.url()).toBe(`${site}/settings`);
    expect(await findFaults(page)).toEqual([]);
    await press("Escape");
    expect(await list.isVisible()).toBe(false);
  });

  it("[CSL-50] do nothing while typing or with a modifier key", async () => {
    await page.goto(`${site}/explore`);
    await press("/");
    await page.keyboard.type("g h j/?");
    expect(await page.locator("input[name=q]").inputValue()).toBe("g h j/?");
    expect(page.url()).toBe(`${site}/explore`);
    await page.goto(`${site}/`);
    await press("Control+j", "Alt+j", "Meta+j");
    expect(await page.evaluate("document.activeElement === document.body")).toBe(true);
    await press("j");
    expect(await readFocused()).not.toBe("");
    expect(await page.evaluate("document.activeElement.closest('.recent > li') !== null")).toBe(true);
  });

  it("[CSL-49] shows reads as they happen, and says that it is live", async () => {
    await page.goto(`${site}/activity?kind=read`);
    const lines = page.locator(".log > li");
    const before = await lines.count();
    await readAsAgent();
    await expect.poll(() => lines.count()).toBe(before + 1);
    expect(await lines.first().textContent()).toContain("searched");
    expect(await page.getByRole("status").textContent()).toBe("Live · 1 new entry");
    expect(await findFaults(page)).toEqual([]);
    await page.goto(`${site}/activity?kind=act`);
    const acts = await lines.count();
    await readAsAgent();
    // The first of these answers may have been requested before the agent read.
    for (const _ of [1, 2]) await page.waitForResponse((answer) => answer.request().resourceType() === "fetch");
    expect(await lines.count()).toBe(acts);
    expect(complaints).toEqual([]);
  });

  it("[CSL-51] shows times in the browser's time zone, and the original on hover", async () => {
    const there = await browser.newPage();
    const emulation = await browser.context.newCDPSession(there);
    await emulation.send("Emulation.setTimezoneOverride", { timezoneId: "Pacific/Kiritimati" });
    await readAsAgent();
    await there.goto(`${site}/activity`);
    const time = there.locator(".log time").first();
    const at = new Date((await time.getAttribute("datetime")) ?? "");
    const local = new Date(at.getTime() + 14 * 3_600_000);
    expect(await time.textContent()).toBe(local.toISOString().slice(11, 16));
    expect(await time.getAttribute("title")).toMatch(/ local time · .* UTC$/);
    const weekday = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeZone: "UTC" }).format(local);
    expect(await there.locator("[data-log] h2").first().textContent()).toBe(weekday);
    expect(await there.locator("[data-zone]").textContent()).toContain("Pacific/Kiritimati");
    await there.close();
  });

  it("[CSL-40] [PAG-4] has its navigation in a menu on a phone, without scripts", async () => {
    await page.setViewportSize({ width: 390, height: 760 });
    await page.goto(`${site}/`);
    const link = page.getByRole("link", { name: "Settings", exact: true });
    expect(await link.count()).toBe(0);
    await page.getByText("Menu", { exact: true }).click();
    await link.click();
    await page.waitForURL(`${site}/settings`);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it("[CSL-41] [CSL-46] [CSL-47] [PAG-4] passes accessibility checks on the settings", async () => {
    const faults: string[] = [];
    for (const path of [
      "/settings",
      "/settings/source?id=cin_mail_ada",
      "/settings/delete-source?id=cin_mail_ada&mistyped=1",
      "/settings/delete-everything?mistyped=1",
    ]) {
      await page.goto(`${site}${path}`);
      faults.push(...(await findFaults(page)));
    }
    expect(faults).toEqual([]);
  });

  it("[CSL-42] [CSL-46] downloads a backup, and deletes a source by its name", async () => {
    await page.goto(`${site}/settings`);
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download backup" }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/^vault-.*\.pdpp$/);
    expect(await file.failure()).toBeNull();
    await page.goto(`${site}/settings/delete-source?id=cin_mail_work`);
    await page.getByLabel(/Type the source's name/).fill("Ada's work mail");
    await page.getByRole("button", { name: /^Delete \d/ }).click();
    await page.getByText("Source deleted, with 311 records").waitFor();
  });
});
