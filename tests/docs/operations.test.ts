import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cleanEnvironment, pdppFile } from "@pdpp/test-support/cli/run-pdpp";
import { findShellBlocks, readPage, runBash } from "@pdpp/test-support/repository/documents";
import pg from "pg";
import { afterAll, expect, inject, it } from "vitest";

/**
 * Runs the commands of docs/operations.md in an empty home directory, with a database on the test run's PostgreSQL
 * server.
 */

const home = mkdtempSync(join(tmpdir(), "pdpp-operations-"));
const database = `pdpp_${randomBytes(6).toString("hex")}`;
const url = () => `${inject("postgresUrl")}/${database}`;
afterAll(() => rmSync(home, { recursive: true, force: true }));

const blocks = findShellBlocks(readPage("operations.md"));
const needsDatabase = (block: string): boolean => block.includes("PDPP_DATABASE_URL");
const toRunnable = (script: string): string =>
  script.replaceAll("npx pdpp", `"${process.execPath}" "${pdppFile}"`).replace(/postgres:\/\/[^"]+/, url());

async function onServer(sql: string): Promise<void> {
  const client = new pg.Client(`${inject("postgresUrl")}/postgres`);
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

it("[BAK-1] runs on SQLite as documented, and the restored vault opens", async () => {
  const env = cleanEnvironment({ HOME: home, USERPROFILE: home });
  const script = blocks.filter((block) => !needsDatabase(block)).join("\n");
  const ran = await runBash(toRunnable(script), env, home);
  expect(ran.code, ran.stderr).toBe(0);
  expect(existsSync(join(home, "monday.pdpp"))).toBe(true);
  expect(await runBash(toRunnable("npx pdpp --data-dir restored --json log"), env, home)).toMatchObject({ code: 0 });
});

it("runs on PostgreSQL as documented", async () => {
  await onServer(`CREATE DATABASE ${database}`);
  try {
    const env = cleanEnvironment({ HOME: join(home, "elsewhere"), USERPROFILE: join(home, "elsewhere") });
    const set = blocks.find((block) => block.includes("export PDPP_DATABASE_URL")) ?? "";
    const rest = blocks.filter((block) => /pdpp (log|prune)/.test(block));
    const ran = await runBash(toRunnable([set, ...rest].join("\n")), env, home);
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stdout).toContain(database);
    expect(existsSync(join(home, "elsewhere", ".pdpp"))).toBe(false);
  } finally {
    await onServer(`DROP DATABASE ${database} WITH (FORCE)`);
  }
});
