import { type ServedVault, serveSampleVault } from "@pdpp/test-support/vaults/served-vault";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium, type Opened, openChromium, whyNot } from "./chromium.ts";
import { findFaults } from "./faults.ts";

describe.skipIf(!hasChromium)(`getting lost, in a real browser${whyNot}`, () => {
  let vault: ServedVault;
  let browser: Opened;
  beforeAll(async () => {
    [vault, browser] = await Promise.all([serveSampleVault(), openChromium()]);
  });
  afterAll(async () => {
    await browser?.close();
    await vault?.close();
  });

  it("[CSL-92] [CSL-93] leads from a mistyped address to signing in with one button, and back to the page before", async () => {
    const page = await browser.newPage();
    const site = vault.url.replace("127.0.0.1", "localhost");
    const buttons = page.getByRole("button");
    await page.goto(`${site}/exlpore`);
    await page.getByRole("heading", { level: 1, name: "Page not found" }).waitFor();
    expect(await findFaults(page)).toEqual([]);
    await page.getByRole("main").getByRole("link", { name: "Sign in" }).click();
    await page.getByRole("heading", { level: 1, name: "Sign in to your vault" }).waitFor();
    expect(await buttons.count()).toBe(1);
    expect(await findFaults(page)).toEqual([]);

    // With the link open, the button is all that is left.
    await page.goto(vault.signInUrl);
    await page.getByText("Your sign-in link is ready.").waitFor();
    expect(await page.getByRole("textbox").count()).toBe(0);
    expect(await buttons.count()).toBe(1);
    expect(await findFaults(page)).toEqual([]);
    await buttons.click();
    await page.getByRole("heading", { level: 1, name: /day, \d+ / }).waitFor();

    await page.goto(`${site}/agents`);
    await page.evaluate("location.assign('/exlpore')");
    await page.getByRole("heading", { level: 1, name: "Page not found" }).waitFor();
    expect(await findFaults(page)).toEqual([]);
    await page.getByRole("link", { name: "Back", exact: true }).click();
    await page.waitForURL(`${site}/agents`);
    await page.close();
  });
});
