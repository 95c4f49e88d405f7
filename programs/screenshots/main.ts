import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "@pdpp/server/main";
import { createImportService } from "#importing/service/import-service";
import { openChromium } from "../../tests/browser/chromium.ts";
import { takePictures } from "./pictures.ts";
import { shrinkPng } from "./small-png.ts";

/**
 * `npm run screenshots` takes the pictures that the docs keep, into docs/console.
 * `npm run screenshots -- --all [NAME...]` takes every page in both colour schemes and two widths, into screenshots.
 */

const site = "http://localhost:7663";
const takesAll = process.argv.includes("--all");
const folder = process.env.PDPP_SCREENSHOTS ?? (takesAll ? "screenshots" : "docs/console");
const only = process.argv.slice(2).filter((name) => name !== "--all");
const kept: ReadonlySet<string> = new Set([
  "activity-wide-dark",
  "agent-wide-light",
  "agents-wide-light",
  "as-agent-wide-light",
  "consent-asked-wide-light",
  "consent-unasked-phone-light",
  "home-wide-light",
  "import-plan-wide-light",
  "record-wide-light",
  "search-wide-light",
  "settings-wide-light",
  "table-phone-dark",
]);
const widths = { wide: { width: 1120, height: 800 }, phone: { width: 390, height: 760 } };
/** Long lists are cut off. */
const tallest = 1800;

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}

const dataDir = mkdtempSync(join(tmpdir(), "pdpp-screenshots-"));
const port = await findFreePort();
const imports = await createImportService({ dataDir });
const running = await serve({ dataDir, port, host: "127.0.0.1", publicUrl: site, demo: true, imports });
// Pictures show the default address, whichever port the server uses.
const browser = await openChromium([`--host-resolver-rules=MAP localhost:7663 127.0.0.1:${port}`]);
try {
  mkdirSync(folder, { recursive: true });
  const page = await browser.newPage();
  const takePicture = async (name: string): Promise<void> => {
    if (only.length > 0 && !only.some((wanted) => name.startsWith(wanted))) return;
    for (const [width, size] of Object.entries(widths)) {
      await page.setViewportSize(size);
      const height: number = await page.evaluate("document.documentElement.scrollHeight");
      await page.setViewportSize({ ...size, height: Math.max(size.height, Math.min(height, tallest)) });
      for (const colorScheme of ["light", "dark"] as const) {
        const picture = `${name}-${width}-${colorScheme}`;
        if (!takesAll && !kept.has(picture)) continue;
        await page.emulateMedia({ colorScheme });
        const file = join(folder, `${picture}.png`);
        writeFileSync(file, shrinkPng(await page.screenshot()));
        console.log(file);
      }
    }
    await page.setViewportSize(widths.wide);
  };
  await takePictures({
    page,
    site,
    shoot: takePicture,
    origin: `http://127.0.0.1:${port}`,
    signInUrl: running.signInUrl,
  });
} finally {
  await browser.close();
  await running.close();
  rmSync(dataDir, { recursive: true, force: true });
}
