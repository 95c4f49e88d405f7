import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningServer, serve } from "@pdpp/server/main";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium, type Opened, openChromium, signIn, whyNot } from "./chromium.ts";
import { findFaults } from "./faults.ts";

const readKept = "Object.values({ ...localStorage }).join()";

describe.skipIf(!hasChromium)(`saved and recent searches in a real browser${whyNot}`, () => {
  const home = mkdtempSync(join(tmpdir(), "pdpp-searches-"));
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
  const getPanel = () => page.locator("form.search .under-search");
  const listPanel = () => getPanel().locator("li").allTextContents();

  it("[CSL-131] lists the last ten searches under the empty box, newest first and each once", async () => {
    await page.goto(`${site}/settings`);
    await page.keyboard.press("/");
    expect(await getPanel().isVisible()).toBe(false);
    for (const q of ["<b>one", "two", "three", "4", "5", "6", "7", "8", "9", "10", "11", "two"])
      await page.goto(`${site}/explore?${new URLSearchParams({ q })}`);
    await page.goto(`${site}/settings`);
    await page.keyboard.press("/");
    expect(await listPanel()).toEqual(["two", "11", "10", "9", "8", "7", "6", "5", "4", "three"]);
    expect(await findFaults(page)).toEqual([]);
    await page.keyboard.type("x");
    expect(await getPanel().isVisible()).toBe(false);
    await page.keyboard.press("Backspace");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${site}/explore?q=11`);
    await page.goto(`${site}/settings`);
    await page.keyboard.press("/");
    await page.keyboard.press("Escape");
    expect(await getPanel().isVisible()).toBe(false);
    expect(complaints).toEqual([]);
  });

  it("[CSL-131] shows them on Explore and in the dialog, and clears them", async () => {
    await page.goto(`${site}/explore`);
    const section = page.locator(".recent-searches.on-page");
    await section.getByRole("link", { name: "three" }).click();
    await page.waitForURL(`${site}/explore?q=three`);
    await page.keyboard.press("Control+k");
    const dialog = page.getByRole("dialog", { name: "Go to" });
    expect(await dialog.locator(".recent-searches li:visible").count()).toBe(3);
    await page.keyboard.type("9");
    expect(await dialog.locator("li:visible").allTextContents()).toEqual(["9"]);
    await page.keyboard.press("Escape");
    await page.goto(`${site}/explore`);
    await section.getByRole("button", { name: "Clear recent searches" }).click();
    expect(await section.isVisible()).toBe(false);
    expect(await page.evaluate<string>(readKept)).toBe("");
    await page.keyboard.press("/");
    expect(await getPanel().isVisible()).toBe(false);
    expect(complaints).toEqual([]);
  });

  it("[CSL-131] keeps no search as an agent sees the vault, and nothing in another browser", async () => {
    await page.goto(`${site}/explore?q=boiler`);
    const asAgent = await page.locator("p.soft a[href^='/as/']").first().getAttribute("href");
    await page.goto(new URL(asAgent ?? "", site).href.replace("boiler", "lighthouse"));
    expect(await page.locator("[data-recent-searches]").count()).toBe(0);
    expect(await page.evaluate<string>(readKept)).toBe('["boiler"]');
    const other = await openChromium();
    try {
      const elsewhere = await other.newPage();
      await elsewhere.goto(`${site}/sign-in`);
      expect(await elsewhere.evaluate<string>(readKept)).toBe("");
    } finally {
      await other.close();
    }
  });

  it("[CSL-130] [CSL-142] saves a search, and opens it from the dialog", async () => {
    await page.goto(`${site}/explore?q=boiler`);
    await page.getByText("Save this search").click();
    expect(await findFaults(page)).toEqual([]);
    await page.getByLabel("Name").fill("Heating");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Search saved.").waitFor();
    await page.goto(`${site}/activity`);
    await page.keyboard.press("Control+k");
    expect(await findFaults(page)).toEqual([]);
    await page.keyboard.type("heat");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${site}/explore?q=boiler`);
    // From another address, so that the wait below cannot end before the navigation.
    await page.goto(`${site}/activity`);
    await page.keyboard.press("Control+k");
    await page.keyboard.type("heating");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${site}/explore?q=boiler`);
    for (const path of ["/explore", "/searches", "/go"]) {
      await page.goto(`${site}${path}`);
      await page.getByRole("link", { name: "Heating" }).first().waitFor();
      expect(await findFaults(page)).toEqual([]);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    for (const path of ["/explore", "/searches", "/go", "/explore?q=boiler"]) {
      await page.goto(`${site}${path}`);
      expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    expect(complaints).toEqual([]);
  });

  it("[CSL-132] sorts a table on a phone, where it has no headings", async () => {
    await page.goto(`${site}/go?to=transactions`);
    await page.locator("main .go-list a").first().click();
    await page.locator("table.records").waitFor();
    const select = page.getByLabel("Sort by");
    expect(await select.isVisible()).toBe(false);
    await page.setViewportSize({ width: 390, height: 844 });
    await select.selectOption({ label: "Amount, smallest first" });
    await page.getByRole("button", { name: "Sort", exact: true }).click();
    await page.waitForURL(/sort=amount&order=asc/);
    expect(await select.locator("option:checked").textContent()).toBe("Amount, smallest first");
    const box = await select.boundingBox();
    expect(box?.height).toBeGreaterThanOrEqual(44);
    expect(await findFaults(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    expect(complaints).toEqual([]);
  });

  it("[CSL-141] shows beside the owner's own mail whom it was written to", async () => {
    await page.goto(`${site}/explore?q=offer+Tidewater`);
    await page.locator("ol.hits h2 a[href^='mail?']").first().click();
    await page.locator(".thread-rows strong", { hasText: "You" }).first().click();
    await page.locator(".opened-mail", { hasText: "(you)" }).waitFor();
    // People are derived in the background.
    const person = page.getByRole("region", { name: "Person" });
    while ((await person.count()) === 0) await page.reload();
    expect(await person.getByRole("heading").textContent()).toBe("Noor Achterwald");
    expect(await findFaults(page)).toEqual([]);
  });

  it("[CSL-131] [CSL-150] deletes them with everything", async () => {
    await page.goto(`${site}/settings/delete-everything`);
    await page.getByLabel("Type delete everything").fill("delete everything");
    await page.getByRole("button", { name: "Delete everything" }).click();
    await page.getByText("Everything was deleted").waitFor();
    expect(await page.evaluate<string>(readKept)).toBe("");
    await page.goto(`${site}/searches`);
    await page.getByText("No saved searches yet.").waitFor();
  });

  it("[CSL-131] forgets them when the owner signs out", async () => {
    await page.goto(`${site}/explore?q=boiler`);
    expect(await page.evaluate<string>(readKept)).not.toBe("");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL(/sign-in/);
    expect(await page.evaluate<string>(readKept)).toBe("");
    expect(complaints).toEqual([]);
  });
});
