import { type ServedVault, serveSampleVault } from "@pdpp/test-support/vaults/served-vault";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium, navigate, type Opened, openChromium, signIn, whyNot } from "./chromium.ts";
import { findFaults } from "./faults.ts";

/** Turns scripts off or on. */
async function createScriptSwitch(page: Page): Promise<(value: boolean) => Promise<void>> {
  const session = await page.context().newCDPSession(page);
  return async (value) => void (await session.send("Emulation.setScriptExecutionDisabled", { value }));
}

describe.skipIf(!hasChromium)(`grants in a real browser${whyNot}`, () => {
  let vault: ServedVault;
  let browser: Opened;
  beforeAll(async () => {
    [vault, browser] = await Promise.all([serveSampleVault(), openChromium()]);
  });
  afterAll(async () => {
    await browser?.close();
    await vault?.close();
  });

  it("[CSL-20] [CSL-21] [CSL-22] [CSL-24] [PAG-4] are created, tested, reduced and revoked without scripts", async () => {
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    await signIn(page, vault.signInUrl);
    const scriptsOff = await createScriptSwitch(page);
    await scriptsOff(true);
    const faults: string[] = [];
    const look = async () => {
      await scriptsOff(false);
      faults.push(...(await findFaults(page)));
      await scriptsOff(true);
    };
    const press = (name: string) => navigate(page, () => page.getByRole("button", { name, exact: true }).click());
    const follow = (name: string) =>
      navigate(page, () => page.getByRole("link", { name, exact: true }).first().click());
    const read = async (token: string): Promise<{ status: number; text: string }> => {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(`${vault.url}/v1/streams/messages/records?limit=100`, { headers });
      return { status: answer.status, text: await answer.text() };
    };

    await follow("Agents");
    await page.getByText("claude mcp login pdpp").waitFor();
    await look();
    await follow("Create a token for a script");
    await page.getByLabel("Name", { exact: true }).fill("Night script");
    await page.getByLabel("Purpose").fill("a summary each morning");
    await look();
    await page.getByRole("radio", { name: "Without attachments" }).check();
    await press("Create token");
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Night script");
    await page.getByText("Check what the token will be able to read").waitFor();
    for (const name of ["Work", "order lines"]) await page.getByRole("checkbox", { name }).first().uncheck();
    await press("Preview what it would see");
    await page.getByRole("region", { name: "Preview" }).waitFor();
    await look();
    await press("Create token");
    await page.getByRole("heading", { name: "Token for Night script" }).waitFor();
    await look();
    const shown = await page.textContent("main");
    const token = /pdpp_client_[\w-]{43}/.exec(shown ?? "")?.[0] ?? "";
    const all = await read(token);
    expect([all.status, all.text.includes("message h00"), all.text.includes("message w")]).toEqual([200, true, false]);
    await page.reload();
    await page.getByRole("heading", { name: "Token already shown" }).waitFor();
    expect(await page.textContent("main")).not.toContain(token);
    await look();
    complaints.splice(0);

    await follow("revoke it");
    expect(await page.getByRole("link", { name: "Night script", exact: true }).count()).toBe(1);
    await follow("Night script");
    await page.getByText("What it can't read").waitFor();
    await page.getByRole("img", { name: /Records read per day/ }).waitFor();
    await look();
    await page.getByLabel("Search for").fill("h07");
    await press("Run");
    expect(await page.getByRole("region", { name: "Result of search" }).textContent()).toContain(
      "message <mark>h07</mark>",
    );
    await look();
    await page.goBack();
    await follow("Reduce access");
    await look();
    await page.getByRole("group", { name: "Messages" }).getByRole("checkbox", { name: "Text" }).uncheck();
    await press("Preview");
    await page.getByText("Removed: Home, Messages: Text").waitFor();
    await look();
    await press("Save changes");
    await page.getByRole("status").waitFor();
    expect(await page.getByRole("status").textContent()).toContain("Changes saved");
    const less = await read(token);
    expect([less.status, less.text.includes("sent_at"), less.text.includes("message h00")]).toEqual([200, true, false]);
    await page.reload();
    expect((await read(token)).text).toBe(less.text);

    await press("Revoke Night script");
    expect(await page.getByRole("status").textContent()).toContain("Night script can't read anything any more");
    expect((await read(token)).status).toBe(403);
    expect(faults).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  });
});
