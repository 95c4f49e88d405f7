import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningServer, serve } from "@pdpp/server/main";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium, navigate, type Opened, openChromium, signIn, whyNot } from "../chromium.ts";
import { findFaults } from "../faults.ts";

/** Where each view starts, and the link that leads to one record in it. Consent has a test of its own. */
const views: readonly (readonly [view: string, path: string, link?: string | RegExp])[] = [
  ["home", "/"],
  ["day", "/day/2026-07-04"],
  ["calendar", "/calendar?month=2026-10"],
  ["week", "/calendar?week=2026-10-05"],
  ["money", "/money"],
  ["photos", "/photos"],
  ["photo", "/photos", /PXL_/],
  ["places", "/places"],
  ["places without a date", "/places?month=none"],
  ["conversations", "/conversation?source=cin_assistant_ada&stream=messages"],
  ["conversation", "/explore?q=inflatable+octopus&source=cin_chat_ada", / in /],
  ["mail", "/explore?q=subject%3Aroof&source=cin_mail_ada", /Lindenufer 14/],
  ["document", "/document?id=cin_notes_ada%2Fnotes%3Ant_5e5e05463e2e"],
  ["people", "/people"],
  ["person", "/people?q=Odile", "Odile Marchevent"],
  ["agents", "/agents"],
  ["go", "/go?to=mail"],
];

describe.skipIf(!hasChromium)(`every view over the demo in a real browser${whyNot}`, () => {
  const home = mkdtempSync(join(tmpdir(), "pdpp-views-"));
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
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("request", (request) => new URL(request.url()).origin !== site && complaints.push(request.url()));
    await signIn(page, running.signInUrl);
  });
  afterAll(async () => {
    await browser?.close();
    await running?.close();
    rmSync(home, { recursive: true, force: true });
  });

  it("[PPL-4] derives people while the server runs", async () => {
    await expect
      .poll(async () => {
        await page.goto(`${site}/people?q=Odile`);
        return page.getByRole("link", { name: "Odile Marchevent" }).count();
      })
      .toBeGreaterThan(0);
  });

  it.each(views)("[CSL-75] [PAG-4] %s is accessible, on a phone too, and asks no other site", async (_, path, link) => {
    await page.goto(`${site}${path}`);
    if (link !== undefined)
      await navigate(page, () => page.locator("main").getByRole("link", { name: link }).first().click());
    expect(await page.getByRole("heading", { level: 1 }).count()).toBe(1);
    const faults = await findFaults(page);
    await page.setViewportSize({ width: 390, height: 844 });
    faults.push(...(await findFaults(page)));
    // A match and a search box have the focus already; elsewhere the first Tab leads to the skip link.
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.matches('a, button, input, select, summary, [tabindex]')")).toBe(
      true,
    );
    expect([faults, complaints]).toEqual([[], []]);
  });
});
