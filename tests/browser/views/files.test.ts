import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningServer, serve } from "@pdpp/server/main";
import { openStore } from "@pdpp/server/store/store";
import { drawJpeg, drawPng } from "@pdpp/test-support/pictures/draw";
import type { TestVault } from "@pdpp/test-support/vaults/new-vault";
import { addPhotos, addPictureSources, putPicture } from "@pdpp/test-support/vaults/pictures";
import { createSample, putRecords } from "@pdpp/test-support/vaults/sample";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mail } from "#importers/formats/mail/mail";
import { writeZip } from "../../importers/archives/zip-writer.ts";
import { writePdf } from "../../importers/documents/pdf-writer.ts";
import { createMemoryTree, importTree, openOwner } from "../../importers/support.ts";
import { hasChromium, navigate, type Opened, openChromium, signIn, whyNot } from "../chromium.ts";
import { findFaults } from "../faults.ts";

const elsewhere = "https://elsewhere.example";

const encodePart = (type: string, name: string, bytes: Uint8Array, id: string): string =>
  `--b\nContent-Type: ${type}; name="${name}"\nContent-ID: <${id}>\nContent-Disposition: attachment; filename="${name}"\n` +
  `Content-Transfer-Encoding: base64\n\n${Buffer.from(bytes).toString("base64")}`;

const letter = `<w:document xmlns:w="x"><w:body><w:p><w:r><w:t>Dear Ada, the gutter is mended.</w:t></w:r></w:p></w:body></w:document>`;

async function writeMail(): Promise<string> {
  const photo = await drawJpeg(1500, 1000, (x, y) => [(x * 7 + y * 13) % 256, (x * y) % 251, 90]);
  const html =
    `<h1>The roof is done</h1><p><img alt="Logo" src="cid:logo@x"></p><p>Two pictures of it:</p><img alt="Roof" src="cid:roof@x" width="300">` +
    `<img src="${elsewhere}/pixel.gif"><p>Kind regards</p>`;
  return [
    "Message-ID: <roof@x.example>",
    "From: Noor Achterwald <noor@x.example>",
    "To: Ada Brambleby <ada@x.example>",
    "Date: 24 Feb 2026 08:30:00 +0000",
    "Subject: The roof is done",
    "MIME-Version: 1.0",
    'Content-Type: multipart/mixed; boundary="b"',
    "",
    `--b\nContent-Type: text/html; charset=utf-8\n\n${html}`,
    encodePart(
      "image/png",
      "logo.png",
      drawPng(120, 40, (x) => (x < 60 ? [15, 118, 110] : [94, 234, 212])),
      "logo@x",
    ),
    encodePart("image/jpeg", "roof.jpg", photo, "roof@x"),
    encodePart("application/pdf", "invoice.pdf", writePdf(["Invoice 14\nRoof and gutter\n4,200 EUR"]), "a@x"),
    encodePart("application/pdf", "damaged.pdf", Buffer.from("%PDF-1.4 nothing"), "b@x"),
    encodePart(
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
      "letter.docx",
      writeZip([{ name: "word/document.xml", content: letter }]),
      "c@x",
    ),
    "--b--",
  ].join("\n");
}

describe.skipIf(!hasChromium)(`files in a real browser${whyNot}`, () => {
  const home = mkdtempSync(join(tmpdir(), "pdpp-files-"));
  let running: RunningServer;
  let browser: Opened;
  let page: Page;
  let site: string;
  let source: string;
  const outside: string[] = [];
  beforeAll(async () => {
    const dataDir = join(home, "vault");
    const store = await openStore({ dataDir });
    const vault = { store, dataDir } as TestVault;
    await createSample(vault);
    await addPictureSources(vault);
    await addPhotos(vault);
    const scan = await putPicture(
      vault,
      drawPng(60, 60, (x, y) => [x * 4, y * 4, 128]),
      "image/png",
    );
    const undated = ["scan-1", "scan-2", "scan-3"].map((id) => ({
      data: { id, name: `${id}.png`, taken_at: null, mime_type: "image/png", blob_ref: scan },
    }));
    await putRecords(vault, "camera", "media", undated);
    const owner = await openOwner(vault, Date.now);
    const before = new Set((await owner.connections.list()).map(({ connection_id }) => connection_id));
    await importTree(owner, createMemoryTree({ "mail.eml": await writeMail() }, 0, 50_000), { importers: [mail] });
    source =
      (await owner.connections.list()).find(({ connection_id }) => !before.has(connection_id))?.connection_id ?? "mail";
    await store.close();
    [running, browser] = await Promise.all([serve({ dataDir, port: 0, host: "127.0.0.1" }), openChromium()]);
    site = new URL(running.signInUrl).origin;
    page = await browser.newPage();
    page.on("request", (request) => {
      if (!request.url().startsWith(site) && !request.url().startsWith("data:")) outside.push(request.url());
    });
    await signIn(page, running.signInUrl);
  });
  afterAll(async () => {
    await browser?.close();
    await running?.close();
    rmSync(home, { recursive: true, force: true });
  });
  const getUrl = (view: string, record: string) => `${site}/${view}?id=${encodeURIComponent(`${source}/${record}`)}`;
  const getFileUrl = (number: number) => getUrl("document", `attachments:roof@x.example/${number}`);

  it("[CSL-146] [BIG-20] shows the first page of a PDF, and says so if there is none", async () => {
    await page.goto(getFileUrl(3));
    await page.getByRole("heading", { name: "invoice.pdf" }).waitFor();
    const readWidth = () => page.evaluate("document.querySelector('.first-page img').naturalWidth");
    await expect.poll(readWidth, { timeout: 60_000 }).toBe(800);
    expect(await page.locator(".document").textContent()).toContain("4,200 EUR");
    await page.getByRole("link", { name: "The roof is done" }).waitFor();
    await page.goto(getFileUrl(4));
    await page.getByText("No preview").waitFor();
    expect((await page.locator(".first-page img").boundingBox())?.width ?? 0).toBe(0);
    await page.goto(getFileUrl(5));
    await page.getByText("the gutter is mended").waitFor();
    expect(await page.locator(".rail").textContent()).toContain("DOCX");
  });

  it("[CSL-111] shows attached pictures in the text of a mail and loads nothing from elsewhere", async () => {
    await page.goto(getUrl("mail", "messages:roof@x.example"));
    await page.getByText("1 remote image was not loaded.").waitFor();
    const images = page.frameLocator(".mail-frame").locator("img[src]");
    await images.nth(1).waitFor();
    // The frame runs no scripts, so the size on the page says whether the pictures were decoded.
    const boxes = await Promise.all([images.nth(0).boundingBox(), images.nth(1).boundingBox()]);
    expect(boxes.map((box) => Math.round(box?.height ?? 0))).toEqual([40, 200]);
    expect(outside).toEqual([]);
  });

  it("[CSL-125] ends the photos with those that have no date, and moves between them by keyboard", async () => {
    await page.goto(`${site}/photos`);
    await page.getByRole("heading", { name: "No date 3" }).waitFor();
    await page.getByRole("link", { name: "scan-3.png" }).focus();
    await navigate(page, () => page.keyboard.press("Enter"));
    await page.getByRole("heading", { name: "scan-3.png" }).waitFor();
    await navigate(page, () => page.keyboard.press("ArrowRight"));
    await page.getByRole("heading", { name: "scan-2.png" }).waitFor();
    await navigate(page, () => page.keyboard.press("Escape"));
    await page.getByRole("heading", { name: "Photos", exact: true }).waitFor();
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toContain("scan-2.png");
  });

  it("[CSL-111] [CSL-125] [CSL-146] is accessible and fits a phone", async () => {
    const faults: string[] = [];
    const pages = [getFileUrl(3), getFileUrl(4), getFileUrl(5), getUrl("mail", "messages:roof@x.example")];
    for (const url of [...pages, `${site}/photos?month=none`, `${site}/photo?id=camera%2Fmedia%3Ascan-2`]) {
      await page.goto(url);
      faults.push(...(await findFaults(page)));
    }
    expect(faults).toEqual([]);
  });
});
