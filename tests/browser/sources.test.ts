import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningServer, serve } from "@pdpp/server/main";
import { createSampleSources } from "@pdpp/test-support/web/sample-sources";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium, navigate, type Opened, openChromium, signIn, whyNot } from "./chromium.ts";
import { findFaults } from "./faults.ts";

describe.skipIf(!hasChromium)(`sources in a real browser${whyNot}`, () => {
  const dataDir = mkdtempSync(join(tmpdir(), "pdpp-sources-browser-"));
  let running: RunningServer;
  let browser: Opened;
  let page: Page;
  let site: string;
  const complaints: string[] = [];
  beforeAll(async () => {
    running = await serve({
      dataDir,
      port: 0,
      host: "localhost",
      startCollecting: (parts) => createSampleSources({ ...parts, dataDir }).service,
    });
    browser = await openChromium();
    page = await browser.newPage();
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    site = new URL(running.signInUrl).origin;
    await signIn(page, running.signInUrl);
  });
  afterAll(async () => {
    await browser?.close();
    await running?.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it("[CSL-160] [CSL-163] [CSL-164] [CSL-165] adds a source with the keyboard, renews its password, answers its question and finds its record", async () => {
    const faults: string[] = [];
    const check = async (): Promise<void> => void faults.push(...(await findFaults(page)));
    await page.goto(`${site}/`);
    await page.keyboard.press("g");
    await navigate(page, () => page.keyboard.press("i"));
    await page.getByRole("heading", { name: "Sources", exact: true }).waitFor();
    await check();
    await navigate(page, () => page.getByRole("link", { name: "Add a source" }).press("Enter"));
    await navigate(page, () => page.getByRole("link", { name: /Sample/ }).press("Enter"));
    await check();
    await page.getByLabel("Email address").fill("ada@example.org");
    await page.keyboard.press("Tab");
    await page.keyboard.type("wrong-horse");
    await page.getByLabel(/Name in your vault/).fill("Work mail");
    await navigate(page, () => page.keyboard.press("Enter"));
    // The page follows the run by itself.
    await page.getByText("Needs a new password").waitFor();
    await page.getByText("The server refused [secret].").first().waitFor();
    await check();
    await page.goto(`${site}/sources`);
    await check();
    await page.goto(`${site}/`);
    await check();
    await navigate(page, () => page.getByRole("link", { name: "Open the source" }).click());

    await page.getByLabel("App password").fill("right-horse");
    await page.getByRole("button", { name: "Save and run" }).click();
    await page.getByRole("heading", { name: "It asks for a one-time code" }).waitFor();
    await check();
    await page.getByRole("textbox", { name: "One-time code" }).fill("271828");
    await page.keyboard.press("Enter");
    await page.getByText("Up to date, just now").waitFor();
    await check();
    for (const label of ["Change what it signs in with", "Change the schedule", "Stop collecting for good"])
      await page.getByText(label).click();
    await check();
    await page.goto(`${site}/explore?q=271828`);
    expect(await page.locator(".hits").textContent()).toContain("271828");
    expect([faults, complaints]).toEqual([[], []]);
  });

  it("[CSL-162] works without scripts", async () => {
    const still = await browser.newPage();
    const session = await browser.context.newCDPSession(still);
    await session.send("Emulation.setScriptExecutionDisabled", { value: true });
    await still.goto(`${site}/sources`);
    await still.getByRole("button", { name: /Run .*Work mail.* now/ }).click();
    // Without scripts the page reloads itself.
    await still.getByRole("heading", { name: "It asks for a one-time code" }).waitFor();
    await still.getByRole("button", { name: "Decline" }).click();
    await still.getByText("Up to date").waitFor();
    await still.getByText("Stop collecting for good").click();
    await still.getByLabel("Stop collecting this source").check();
    await still.getByRole("button", { name: "Remove the source" }).click();
    await still.getByText("Its records are still here.").waitFor();
    await still.close();
  });
});
