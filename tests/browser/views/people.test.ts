import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningServer, serve } from "@pdpp/server/main";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium, type Opened, openChromium, signIn, whyNot } from "../chromium.ts";
import { findFaults } from "../faults.ts";

describe.skipIf(!hasChromium)(`people in a real browser${whyNot}`, () => {
  const dataDir = mkdtempSync(join(tmpdir(), "pdpp-people-"));
  let server: RunningServer;
  let browser: Opened;
  let page: Page;
  let site: string;
  const elsewhere: string[] = [];
  beforeAll(async () => {
    server = await serve({ dataDir, port: 0, host: "127.0.0.1", demo: true });
    site = new URL(server.signInUrl).origin;
    browser = await openChromium();
    page = await browser.newPage();
    page.setDefaultTimeout(60_000);
    page.on("request", (request) => {
      if (new URL(request.url()).origin !== site) elsewhere.push(request.url());
    });
    await signIn(page, server.signInUrl);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
  const checkLook = async () => {
    expect(await findFaults(page)).toEqual([]);
    for (const width of [1200, 390]) {
      await page.setViewportSize({ width, height: 844 });
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
    }
    expect(await findFaults(page)).toEqual([]);
    await page.setViewportSize({ width: 1200, height: 844 });
  };

  it("[PPL-4] [CSL-95] people appear by themselves while the server runs", async () => {
    await expect
      .poll(
        async () => {
          await page.goto(`${site}/people?q=Noor`);
          return page.getByRole("link", { name: "Noor Achterwald" }).count();
        },
        { timeout: 240_000, interval: 1000 },
      )
      .toBeGreaterThan(0);
    await page.goto(`${site}/people`);
    await checkLook();
  });

  it("[CSL-96] [CSL-97] [CSL-98] the question is answered, undone and the person split, by keyboard too", async () => {
    await page.goto(`${site}/people?q=noor@tidewater.example.net`);
    await page.getByRole("link", { name: "Noor Achterwald" }).first().click();
    await page.getByText("things from 3 sources").waitFor();
    await checkLook();
    await page.getByRole("button", { name: "Same person" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("things from 4 sources").waitFor();
    await checkLook();
    await page.getByRole("button", { name: /^Not Noor\W+Noor/ }).click();
    await page.getByText("is not Noor Achterwald").waitFor();
    await page.getByText("things from 3 sources").waitFor();
    await press("Undo");
    await page.getByText("things from 4 sources").waitFor();
    await page.getByRole("link", { name: "Mentions" }).click();
    await page.getByText("they are not counted").waitFor();
    expect(elsewhere).toEqual([]);
  });
});
