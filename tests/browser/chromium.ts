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

/** `args`: additional command-line arguments. */
export async function openChromium(args: readonly string[] = []): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), "pdpp-chromium-"));
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: chromiumPath,
    headless: true,
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
