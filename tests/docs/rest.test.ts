import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { problemStatus } from "@pdpp/contract/errors";
import { operations } from "@pdpp/contract/operations";
import { cleanEnvironment } from "@pdpp/test-support/cli/run-pdpp";
import { runWhileServing } from "@pdpp/test-support/processes/server-process";
import { findShellBlocks, readPage, runBash } from "@pdpp/test-support/repository/documents";
import { afterAll, expect, it } from "vitest";

/** Runs every command of docs/rest.md against the demo vault. A trailing comment names the error a command shows. */

const page = readPage("rest.md");
const folder = mkdtempSync(join(tmpdir(), "pdpp-rest-"));
const env = cleanEnvironment({ HOME: folder, USERPROFILE: folder });
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("[AUT-6] runs every command of the REST guide with the documented answer", async () => {
  const [setting = "", ...blocks] = findShellBlocks(page);
  const [helper = ""] = setting.match(/^get\(\).*$/m) ?? [];
  const lines = blocks.flatMap((block) => block.trimEnd().split("\n"));
  const settings = lines.filter((line) => /^[A-Z]+=/.test(line));
  const commands = lines.filter((line) => !settings.includes(line));
  expect(commands.length).toBeGreaterThan(25);
  await runWhileServing(["--demo", "--data-dir", join(folder, "demo")], env, async ({ url, demo_token = "" }) => {
    const prepare = [helper, ...settings].join("\n");
    for (const command of commands) {
      const { code, stdout } = await runBash(`${prepare}\n${command}`, { ...env, URL: url, TOKEN: demo_token });
      expect([command, code]).toEqual([command, 0]);
      const [, status, said] = / # (\d{3}) (\w+)$/.exec(command) ?? [];
      if (command.includes("| wc")) expect([command, Number(stdout) > 0]).toEqual([command, true]);
      else {
        const { error } = JSON.parse(stdout) as { error?: { code: keyof typeof problemStatus } };
        expect([command, error?.code]).toEqual([command, said]);
        if (error !== undefined) expect(problemStatus[error.code]).toBe(Number(status));
      }
    }
  });
});

it("[AUT-6] names only errors that a server returns, with their status", () => {
  const rows = [...page.matchAll(/^\| ([\d, ]+) \| (.+) \|$/gm)];
  expect(rows.length).toBeGreaterThan(5);
  for (const [, statuses = "", cells = ""] of rows)
    for (const [, code = ""] of cells.matchAll(/`(\w+)`/g))
      if (code in problemStatus) expect(statuses).toContain(String(problemStatus[code as keyof typeof problemStatus]));
      else expect(code).toBe("retry_after_seconds");
});

it("lists the path of every operation", () => {
  const said = page.replaceAll(/\/records\/(KB-345975|ml_\w+)/g, "/records/{record_id}");
  for (const { path } of Object.values(operations)) {
    const form = path.replaceAll(/\{stream\}/g, "[\\w{}]+").replaceAll(/\{(record_id|blob_id)\}/g, '[^\\s"`]+');
    if (path !== "/v1/connectors" && path !== "/v1/streams/{stream}") expect(said).toMatch(new RegExp(form));
  }
});
