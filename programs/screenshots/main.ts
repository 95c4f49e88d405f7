import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { serve } from "@pdpp/server/main";
import { createSampleSources } from "@pdpp/test-support/web/sample-sources";
import { createImportService } from "#importing/service/import-service";
import { openChromium, signIn } from "../../tests/browser/chromium.ts";
import { hasFixtures, importFixtures, takeFixturePictures } from "./fixture-pictures.ts";
import { takePictures } from "./pictures.ts";
import { shrinkPng } from "./small-png.ts";

/**
 * `npm run screenshots` takes the pictures that the docs keep, into docs/console.
 * `npm run screenshots -- --all [NAME...]` takes every page in both colour schemes and two widths, into screenshots.
 * `npm run screenshots -- --fixtures FOLDER` takes imports of real exports, if they are there, into FOLDER.
 */

const site = "http://localhost:7663";
const { values: options, positionals: only } = parseArgs({
  options: { all: { type: "boolean" }, fixtures: { type: "string" } },
  allowPositionals: true,
});
const takesAll = options.all === true || options.fixtures !== undefined;
const folder =
  options.fixtures ?? process.env.PDPP_SCREENSHOTS ?? (options.all === true ? "screenshots" : "docs/console");
if (options.fixtures !== undefined && !hasFixtures) {
  console.log("There are no exports in ../shared/fixtures to take pictures of.");
  process.exit(0);
}
const kept: ReadonlySet<string> = new Set([
  "agents-wide-light",
  "as-agent-wide-light",
  "consent-asked-wide-light",
  "consent-chosen-phone-dark",
  "consent-chosen-wide-light",
  "conversation-wide-light",
  "day-wide-light",
  "home-wide-light",
  "month-wide-light",
  "photos-wide-light",
  "places-wide-dark",
  "search-wide-light",
]);
const widths = { wide: { width: 1200, height: 800 }, phone: { width: 390, height: 760 } };
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
if (options.fixtures !== undefined) importFixtures(dataDir);
const port = await findFreePort();
const imports = await createImportService({ dataDir });
const demo = options.fixtures === undefined;
const running = await serve({
  dataDir,
  port,
  host: "127.0.0.1",
  publicUrl: site,
  demo,
  imports,
  startCollecting: (parts) => createSampleSources({ ...parts, dataDir }, "Mail account").service,
});
// Pictures show the default address, whichever port the server uses.
const browser = await openChromium([`--host-resolver-rules=MAP localhost:7663 127.0.0.1:${port}`]);
try {
  mkdirSync(folder, { recursive: true });
  const page = await browser.newPage();
  page.setDefaultTimeout(30_000);
  // The zone of the demo's household, so that pictures do not depend on this computer.
  const devTools = await browser.context.newCDPSession(page);
  await devTools.send("Emulation.setTimezoneOverride", { timezoneId: "Europe/Berlin" });
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
  const context = { page, site, shoot: takePicture, origin: `http://127.0.0.1:${port}`, signInUrl: running.signInUrl };
  if (demo) await takePictures(context);
  else {
    await signIn(page, running.signInUrl);
    await takeFixturePictures(page, site, takePicture);
  }
} finally {
  await browser.close();
  await running.close();
  rmSync(dataDir, { recursive: true, force: true });
}
