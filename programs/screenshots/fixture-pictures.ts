import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { navigate } from "../../tests/browser/chromium.ts";
import { waitForImages } from "./view-pictures.ts";

/** Pictures of real exports, each in its view. The exports are not part of this repository. */

const exportsFolder = "../shared/fixtures";
export const hasFixtures = existsSync(exportsFolder);

const fixtures: Readonly<Record<string, readonly string[]>> = {
  WhatsApp: ["chat-miner/test/whatsapp/test_ddmmyy_24hrs.txt"],
  Telegram: ["chat-miner/test/telegram/test_single_export.json"],
  Mail: ["mailparser"],
  Calendar: ["ics-node-ical/multi-event-basic.ics", "ics-node-ical/sabredav-school-holidays.ics"],
  Tracks: ["gpx-gpxpy/test_files/cerknicko-jezero.gpx", "gpx-gpxpy/test_files/korita-zbevnica.gpx"],
  Bank: ["bank-ofxparse/checking.ofx", "bank-ofxparse/suncorp.ofx"],
  ChatGPT: ["chatgpt-export-studio/conversations.json"],
};

/** The exports have no mailbox and no photos with contents: their mails in one file, and the pictures of the demo. */
function writeOtherExports(folder: string): Readonly<Record<string, string>> {
  const mails = join(exportsFolder, "mailparser");
  const names = existsSync(mails) ? readdirSync(mails).filter((name) => name.endsWith(".eml")) : [];
  const written = names.map((name) => {
    const lines = readFileSync(join(mails, name), "latin1").replaceAll("\r\n", "\n").trimEnd().split("\n");
    const quoted = lines.map((line) => (/^>*From /.test(line) ? `>${line}` : line));
    return `From - Thu Jan  1 00:00:00 2026\n${quoted.join("\n")}\n\n`;
  });
  const mailbox = join(folder, "mails.mbox");
  writeFileSync(mailbox, written.join(""), "latin1");
  return { ...(names.length === 0 ? {} : { Mailbox: mailbox }), Photos: "packages/demo/data/cin_photos_ada/files" };
}

/** Imports them with the command line, as an owner would. A format that is missing is reported and left out. */
export function importFixtures(dataDir: string): void {
  for (const [label, names] of Object.entries(fixtures)) {
    const paths = names.map((name) => join(exportsFolder, name)).filter((path) => existsSync(path));
    if (paths.length === 0) console.log(`${label}: not there`);
    else importExport(dataDir, label, paths);
  }
  const folder = mkdtempSync(join(tmpdir(), "pdpp-exports-"));
  for (const [label, path] of Object.entries(writeOtherExports(folder))) importExport(dataDir, label, [path]);
  rmSync(folder, { recursive: true });
}

function importExport(dataDir: string, label: string, paths: readonly string[]): void {
  const options = ["--label", label, "--time-zone", "Europe/Berlin", "--date-order", "dmy", "--yes"];
  const command = ["packages/cli/bin/pdpp.mjs", "import", ...paths, "--data-dir", dataDir, ...options];
  const { status, stderr } = spawnSync(process.execPath, command, { encoding: "utf8" });
  console.log(`${label}: ${status === 0 ? "imported" : stderr.trim().slice(-400)}`);
}

/** The page of each stream, in the view of its kind if it has one, and its first record. */
export async function takeFixturePictures(page: Page, site: string, shoot: (name: string) => Promise<void>) {
  await page.goto(`${site}/explore`);
  const streams: string[] = await page.evaluate(
    `[...document.querySelectorAll("main a[href^='stream?']")].map((link) => link.href)`,
  );
  const seen = new Map<string, number>();
  for (const url of streams) {
    await page.goto(url);
    const title = (await page.locator("main .from, main .place, main h1").allInnerTexts()).join(" ");
    const name = `fixture-${title.toLowerCase().replaceAll(/[^a-z]+/g, "-")}`.slice(0, 60);
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    const picture = times === 1 ? name : `${name}-${times}`;
    const view = page.locator("main .views a").filter({ hasNotText: "Table" });
    if ((await view.count()) > 0) await navigate(page, () => view.first().click());
    await waitForImages(page);
    await shoot(picture);
    const record = page.locator("main").locator("a[href^='conversation?id'], a[href^='mail?id'], a[href^='record?id']");
    if ((await record.count()) === 0) continue;
    await navigate(page, () => record.first().click());
    await shoot(`${picture}-open`);
  }
}
