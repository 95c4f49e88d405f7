import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium, type Page } from "playwright-core";

/** The system's Chromium. */

const chromiumPath = process.env.PDPP_CHROMIUM ?? "/usr/bin/chromium";
export const hasChromium = existsSync(chromiumPath);
export const whyNot = hasChromium
  ? ""
  : ` (skipped: there is no chromium at ${chromiumPath}; PDPP_CHROMIUM names another)`;

export interface Opened {
  readonly context: BrowserContext;
  newPage(): Promise<Page>;
  close(): Promise<void>;
}

interface ChromiumOptions {
  /** Keeps whole pages for the Back button, as Chromium does by default; playwright turns that off. */
  readonly keepsPages?: boolean;
  readonly javaScriptEnabled?: boolean;
}

/** `args`: additional command-line arguments. */
export async function openChromium(
  args: readonly string[] = [],
  { keepsPages = false, javaScriptEnabled = true }: ChromiumOptions = {},
): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), "pdpp-chromium-"));
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: chromiumPath,
    headless: true,
    javaScriptEnabled,
    ...(keepsPages ? { ignoreDefaultArgs: ["--disable-back-forward-cache"] } : {}),
    chromiumSandbox: false,
    args: [
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      ...args,
    ],
  });
  context.setDefaultTimeout(300_000);
  return {
    context,
    newPage: () => context.newPage(),
    async close() {
      await context.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Only a script can read the code from a sign-in link; without scripts, the link is pasted. */
export async function signIn(page: Page, signInUrl: string, { hasScripts = true } = {}): Promise<void> {
  await page.goto(signInUrl);
  if (!hasScripts) await page.getByLabel("Sign-in code").fill(signInUrl);
  await submitSignIn(page);
}

/** The sign-in page has a heading and navigation too; only "Sign out" tells that the owner is in. */
export async function submitSignIn(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("button", { name: "Sign out" }).waitFor();
  await page.waitForLoadState();
}

/**
 * Does what leads to another page, and waits until that page and its scripts have loaded. A click ends before the
 * navigation it starts, so what follows it may meet the old page or be interrupted by the new one.
 */
export async function navigate(page: Page, act: () => Promise<void>): Promise<void> {
  await page.waitForLoadState();
  await Promise.all([page.waitForEvent("load"), act()]);
}
