import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningServer, serve } from "@pdpp/server/main";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium, type Opened, openChromium, signIn, whyNot } from "../chromium.ts";
import { findFaults } from "../faults.ts";

describe.skipIf(!hasChromium)(`calendar, money and tables in a real browser${whyNot}`, () => {
  const home = mkdtempSync(join(tmpdir(), "pdpp-calendar-"));
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
    page.on("request", (request) => request.url().startsWith(site) || complaints.push(`asked ${request.url()}`));
    await signIn(page, running.signInUrl);
  });
  afterAll(async () => {
    await browser?.close();
    await running?.close();
    rmSync(home, { recursive: true, force: true });
  });
  const onPhone = async (look: () => Promise<void>): Promise<void> => {
    await page.setViewportSize({ width: 390, height: 844 });
    await look();
    await page.setViewportSize({ width: 1280, height: 800 });
  };
  /** Targets too small for a finger. */
  const listSmallTargets = (selector: string): Promise<string[]> =>
    page.evaluate(
      `[...document.querySelectorAll(${JSON.stringify(selector)})]
        .filter((link) => link.getClientRects().length > 0 && link.closest("li, nav, td").getBoundingClientRect().height < 40)
        .map((link) => link.textContent)`,
    );

  it("[CSL-116] shows a month as a grid, moves by keyboard and switches to the week", async () => {
    await page.goto(`${site}/calendar?month=2026-10`);
    const columns = await page
      .locator(".month-days > .calendar-day")
      .evaluateAll((days) => days.slice(0, 8).map((day) => Math.round(day.getBoundingClientRect().top)));
    expect(new Set(columns.slice(0, 7)).size).toBe(1);
    expect(columns[7]).toBeGreaterThan(columns[0] ?? 0);
    expect(await findFaults(page)).toEqual([]);
    await page.getByRole("link", { name: "Previous month" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "September 2026" }).waitFor();
    await page.goBack();
    await page.getByRole("link", { name: "Week", exact: true }).click();
    await page.waitForURL("**/calendar?week=*");
    await page.goto(`${site}/calendar?week=2026-10-12`);
    const slots = page.locator(".slot");
    const boxes = await slots.evaluateAll((all) => all.map((slot) => slot.getBoundingClientRect().toJSON()));
    expect(boxes.length).toBeGreaterThan(5);
    for (const [i, a] of boxes.entries())
      for (const b of boxes.slice(i + 1))
        expect(a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom).toBe(false);
    expect(await findFaults(page)).toEqual([]);
    await slots.first().focus();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/record?*");
    expect(complaints).toEqual([]);
  });

  it("[CSL-118] wraps long titles in the grid and shows them whole when pointed at", async () => {
    await page.goto(`${site}/calendar?month=2026-10`);
    const measure = (title: string) =>
      page
        .locator(".month-days .event a", { hasText: title })
        .first()
        .evaluate((link) => ({ title: link.getAttribute("title"), height: link.getBoundingClientRect().height }));
    const [short, long] = [await measure("Lauftreff"), await measure("Seitenweise: An Atlas of Small Apologies")];
    expect(long.title).toBe("Seitenweise: An Atlas of Small Apologies");
    expect(long.height / short.height).toBeGreaterThan(2);
    // It stays within its day: three lines at most.
    expect(long.height / short.height).toBeLessThan(3.1);
  });

  it("[CSL-116] [CSL-117] is an agenda on a phone, with rules in words", async () => {
    await onPhone(async () => {
      for (const at of ["month=2026-10", "week=2026-10-12"]) {
        await page.goto(`${site}/calendar?${at}`);
        const shown = page.locator(".calendar-days .event:visible");
        const lefts = await shown.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().left));
        expect(lefts.length).toBeGreaterThan(5);
        expect(new Set(lefts).size).toBe(1);
        expect(await page.locator(".week-grid").isVisible()).toBe(false);
        expect(await listSmallTargets(".calendar-days .event a, .date-steps a")).toEqual([]);
      }
      expect(await page.getByText("every Tuesday").first().isVisible()).toBe(true);
    });
    expect(complaints).toEqual([]);
  });

  it("[CSL-119] shows money in one currency and switches by keyboard", async () => {
    await page.goto(`${site}/money`);
    await page.getByText("Amounts are in several currencies. Showing EUR.").waitFor();
    expect(await findFaults(page)).toEqual([]);
    await page.getByRole("navigation", { name: "Currencies" }).getByRole("link", { name: /CHF/ }).focus();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/money?*currency=CHF*");
    await page.getByText("Showing CHF.").waitFor();
    await page.goto(`${site}/money`);
    await page.locator(".linked-bars a").first().focus();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/stream?*");
    await onPhone(async () => {
      await page.goto(`${site}/money`);
      expect(await listSmallTargets(".payees a, .transactions a")).toEqual([]);
    });
    expect(complaints).toEqual([]);
  });

  it("[CSL-113] [CSL-114] shows a table as cards on a phone", async () => {
    const table = `${site}/stream?source=cin_purchases_ada&stream=orders`;
    await page.goto(table);
    expect(await findFaults(page)).toEqual([]);
    await onPhone(async () => {
      await page.goto(table);
      const [first, second] = await page
        .locator(".records tbody tr")
        .evaluateAll((rows) => rows.slice(0, 2).map((row) => row.getBoundingClientRect().toJSON()));
      expect(first.height).toBeGreaterThan(100);
      expect(second.top).toBeGreaterThanOrEqual(first.bottom);
      expect(await listSmallTargets(".records .opener a")).toEqual([]);
    });
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await findFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
