import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createRandom } from "@pdpp/test-support/vitest/random";
import type { Page } from "playwright-core";
import { whatsappGenerator } from "../../tests/importers/generators/messages/whatsapp.ts";

/** Pictures of an import: the upload page, the plan and the result. */

export async function takeImportPictures(
  page: Page,
  site: string,
  shoot: (name: string) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "pdpp-export-"));
  try {
    const all = {
      ...whatsappGenerator.hostile(createRandom(3)).files,
      ...whatsappGenerator.pair(createRandom(1), 800).newer,
    };
    for (const [name, content] of Object.entries(all)) writeFileSync(join(folder, basename(name)), content);
    const chosen = [...new Set(Object.keys(all).map((name) => join(folder, basename(name))))];
    await page.goto(`${site}/import`);
    await page.locator("input[type=file]").setInputFiles(chosen);
    await page.getByRole("button", { name: "Preview import" }).first().click();
    await page.getByRole("heading", { name: "Review import" }).waitFor({ timeout: 120_000 });
    await page.getByLabel(/time zone/).fill("Europe/Berlin");
    await shoot("import-plan");
    await page.getByRole("button", { name: /^Import \d/ }).click();
    await page.getByRole("heading", { name: "Import report" }).waitFor({ timeout: 300_000 });
    await shoot("import-done");
    await page.goto(`${site}/import`);
    await shoot("import");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
