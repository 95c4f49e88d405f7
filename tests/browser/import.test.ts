import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningServer, serve } from "@pdpp/server/main";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createImportService } from "#importing/service/import-service";
import { hasChromium, type Opened, openChromium, signIn, whyNot } from "./chromium.ts";
import { findFaults } from "./faults.ts";

const buildChat = (name: string): string =>
  [
    `13/01/2024, 10:00 - ${name}: the gutter thermostat`,
    "13/01/2024, 10:01 - <script>hit=1</script>: which one?",
    "31/02/2024, 99:99 - Ada: no such day",
  ].join("\n");

describe.skipIf(!hasChromium)(`importing in a real browser${whyNot}`, () => {
  const folder = mkdtempSync(join(tmpdir(), "pdpp-import-browser-"));
  let running: RunningServer;
  let browser: Opened;
  let page: Page;
  let site: string;
  const complaints: string[] = [];
  beforeAll(async () => {
    const dataDir = join(folder, "vault");
    const imports = await createImportService({ dataDir });
    running = await serve({ dataDir, port: 0, host: "localhost", imports });
    browser = await openChromium();
    page = await browser.newPage();
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    site = new URL(running.signInUrl).origin;
    await signIn(page, running.signInUrl);
  });
  afterAll(async () => {
    await browser?.close();
    await running?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("[CSL-30] [PAG-4] plans a dropped export, imports it, and finds it by search", async () => {
    const faults: string[] = [];
    await page.goto(`${site}/`);
    await page.getByRole("link", { name: "Import data" }).click();
    await page.getByRole("heading", { name: "Import data" }).waitFor();
    faults.push(...(await findFaults(page)));
    const dropped = await page.evaluateHandle(
      `(() => { const data = new DataTransfer();
        data.items.add(new File([${JSON.stringify(buildChat("Ada"))}], "WhatsApp Chat with Ada.txt", { lastModified: 1706000000000 })); return data; })()`,
    );
    await page.dispatchEvent("form.drop", "drop", { dataTransfer: dropped });
    await page.getByRole("heading", { name: "Review import" }).waitFor();
    faults.push(...(await findFaults(page)));
    expect(await page.getByLabel("Source name (WhatsApp)").inputValue()).toBe("WhatsApp");
    await page.getByLabel(/time zone/).fill("Europe/Berlin");
    await page.getByLabel(/is you/).selectOption("Ada");
    await page.getByRole("button", { name: /^Import \d/ }).click();
    await page.getByRole("heading", { name: "Import report" }).waitFor();
    faults.push(...(await findFaults(page)));
    // A plain file is dated by its modification time, not by the upload.
    await page.getByText("Import details").click();
    expect(await page.locator("main dl").textContent()).toContain("23 January 2024");
    await page.goto(`${site}/import`);
    faults.push(...(await findFaults(page)));
    await page.getByRole("link", { name: /Ada/ }).first().click();
    await page.getByRole("heading", { name: "Import report" }).waitFor();
    await page.goto(`${site}/explore?q=gutter+thermostat`);
    expect(await page.locator(".hits").textContent()).toContain("gutter thermostat");
    expect(await page.evaluate("globalThis.hit")).toBeUndefined();
    expect([faults, complaints]).toEqual([[], []]);
  });

  it("[CSL-30] works without scripts, with a file input and a page that reloads itself", async () => {
    const still = await browser.newPage();
    const session = await browser.context.newCDPSession(still);
    await session.send("Emulation.setScriptExecutionDisabled", { value: true });
    const file = join(folder, "WhatsApp Chat with Cem.txt");
    writeFileSync(file, buildChat("Cem").replace("gutter", "attic"));
    await still.goto(`${site}/import`);
    await still.locator("input[type=file]").setInputFiles(file);
    await still.getByRole("button", { name: "Preview import" }).first().click();
    await still.getByRole("heading", { name: "Review import" }).waitFor();
    await still.getByLabel(/time zone/).fill("UTC");
    await still.getByRole("button", { name: /^Import \d/ }).click();
    await still.getByRole("heading", { name: "Import report", exact: true }).waitFor();
    await still.goto(`${site}/explore?q=attic+thermostat`);
    expect(await still.locator(".hits").textContent()).toContain("attic thermostat");
    await still.close();
  });
});
