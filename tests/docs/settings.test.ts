import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readPage } from "@pdpp/test-support/repository/documents";
import { repository } from "@pdpp/test-support/repository/requirements";
import { expect, it } from "vitest";
import { internalVariables, updateSettings, variables } from "../../programs/settings/settings.ts";

it("[OPS-7] the table of settings is the command line's own; npm run settings writes it", async () => {
  const page = readPage("operations.md");
  expect(page).toBe(await updateSettings(page));
  expect(page).toContain("| `--public-url <url>` |");
});

it("[OPS-7] every variable that the sources name is in the table", () => {
  const sources = globSync("packages/*/{src,bin}/**/*.{ts,tsx,mjs}", { cwd: repository }).filter(
    (path) => !path.includes(".test."),
  );
  const found = new Set(
    sources.flatMap((path) => readFileSync(join(repository, path), "utf8").match(/\bPDPP_[A-Z][A-Z_]*[A-Z]\b/g) ?? []),
  );
  expect([...found].sort()).toEqual([...variables.map(({ name }) => name), ...internalVariables].sort());
});
