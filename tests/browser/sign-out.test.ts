import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningServer, serve } from "@pdpp/server/main";
import { openStore } from "@pdpp/server/store/store";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSignInCode } from "#server/auth/sessions";
import { hasChromium, openChromium, submitSignIn, whyNot } from "./chromium.ts";

/** On a name that is not this computer's, plain http is not a secure context, so `Clear-Site-Data` does nothing there. */
const insecureName = "vault.test";

describe.skipIf(!hasChromium)(`signing out in a real browser${whyNot}`, () => {
  const home = mkdtempSync(join(tmpdir(), "pdpp-sign-out-"));
  let running: RunningServer;
  beforeAll(async () => {
    const dataDir = join(home, "vault");
    running = await serve({ dataDir, port: 0, host: "127.0.0.1", demo: true, allowedHosts: [insecureName] });
  });
  afterAll(async () => {
    await running?.close();
    rmSync(home, { recursive: true, force: true });
  });
  const createCode = async (): Promise<string> => {
    const store = await openStore({ dataDir: join(home, "vault") });
    try {
      return await createSignInCode(store, 1, Date.now());
    } finally {
      await store.close();
    }
  };

  it.each([
    ["localhost", true],
    ["localhost", false],
    [insecureName, true],
    [insecureName, false],
  ])("[WEB-4] shows nothing when going back at %s, scripts: %s", async (name, javaScriptEnabled) => {
    const browser = await openChromium([`--host-resolver-rules=MAP ${insecureName} 127.0.0.1`], {
      keepsPages: true,
      javaScriptEnabled,
    });
    try {
      const { port } = new URL(running.url);
      const site = `http://${name}:${port}`;
      const page = await browser.newPage();
      await page.goto(`${site}/sign-in`);
      await page.getByLabel("Sign-in code").fill(await createCode());
      await submitSignIn(page);
      await page.goto(`${site}/explore?q=boiler`);
      const shown = await page.locator(".hits").textContent();
      expect(shown).toMatch(/boiler/i);
      const cookies = () => browser.context.cookies(site);
      expect((await cookies()).filter((each) => each.name.startsWith("pdpp_session")).length).toBe(1);
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.waitForURL("**/sign-in");
      expect((await cookies()).filter((each) => each.name.startsWith("pdpp_session"))).toEqual([]);
      await page.goBack();
      await page.waitForURL("**/sign-in?next=*");
      expect(await page.content()).not.toMatch(/boiler<|class="hits"/i);
    } finally {
      await browser.close();
    }
  });
});
