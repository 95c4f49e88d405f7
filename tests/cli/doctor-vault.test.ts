import { chmodSync, copyFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "@pdpp/server/store/store";
import { buildTinyManifest, type CliVault, createCliVault } from "@pdpp/test-support/cli/cli-vault";
import { printedCommand } from "@pdpp/test-support/cli/run-pdpp";
import { afterEach, beforeEach, expect, it } from "vitest";

let vault: CliVault;
let dataDir: string;
beforeEach(() => {
  vault = createCliVault({ isInProcess: true });
  dataDir = join(vault.directory, "vault");
});
afterEach(() => vault.drop());

interface Checked {
  readonly checks: readonly { name: string; state: string; detail: string; advice?: string }[];
}
const runChecks = async (name: string) => {
  const { stdout } = await vault.run(["doctor", "--json"]);
  const { checks }: Checked = JSON.parse(stdout);
  return checks.find((check) => check.name === name);
};

it("[KEEP-4] reads a copy of an open vault, says what it lacks, and refuses to write to it or to serve it", async () => {
  const elsewhere = await openStore({ dataDir: join(vault.directory, "running") });
  await elsewhere.engine.reclaimSpace();
  mkdirSync(dataDir, { mode: 0o700 });
  copyFileSync(join(vault.directory, "running", "vault.db"), join(dataDir, "vault.db"));
  await elsewhere.close();
  expect(await runChecks("vault")).toMatchObject({
    state: "failed",
    detail: expect.stringMatching(
      /open for reading only: .*vault\.db lacks .*vault\.db-wal.* Its access log is empty\./,
    ),
    advice: expect.stringContaining("touch"),
  });
  const listed = await vault.run(["connector", "list"]);
  expect(listed).toMatchObject({ code: 0, stderr: expect.stringContaining("Open for reading only: ") });
  const manifest = vault.file("manifest.json", buildTinyManifest("notes", "entries"));
  for (const args of [
    ["connector", "add", manifest],
    ["serve", "--port", "0"],
    ["backup", join(dataDir, "b.pdpp")],
  ])
    expect(await vault.run(args)).toMatchObject({ code: 1, stderr: expect.stringContaining("open for reading only") });
  expect(readdirSync(dataDir)).toEqual(["vault.db"]);
});

it("[KEEP-4] refuses a copy that contains no tables yet", async () => {
  const elsewhere = await openStore({ dataDir: join(vault.directory, "running") });
  mkdirSync(dataDir, { mode: 0o700 });
  copyFileSync(join(vault.directory, "running", "vault.db"), join(dataDir, "vault.db"));
  expect(await runChecks("vault")).toMatchObject({ state: "failed", detail: expect.stringContaining("vault.db-wal") });
  await elsewhere.close();
});

it("[KEEP-4] doctor refuses an empty file", async () => {
  mkdirSync(dataDir, { mode: 0o700 });
  writeFileSync(join(dataDir, "vault.db"), "", { mode: 0o600 });
  expect(await runChecks("vault")).toMatchObject({
    state: "failed",
    detail: expect.stringContaining("is empty (0 bytes)"),
  });
});

it.skipIf(process.platform === "win32")("[KEEP-5] doctor names a file that others can read", async () => {
  await (await openStore({ dataDir })).close();
  expect(await runChecks("data directory")).toMatchObject({ state: "ok" });
  chmodSync(join(dataDir, "vault.db"), 0o644);
  expect(await runChecks("data directory")).toMatchObject({
    state: "warning",
    detail: `${join(dataDir, "vault.db")} can be read by other users of this machine`,
    advice: `chmod -R go= ${dataDir}`,
  });
});

it("[IMP-19] doctor says how to start a vault: with an import or a manifest", async () => {
  const either = `import an export with ${printedCommand} import FILE, or register your own data with ${printedCommand} connector add FILE`;
  expect(await runChecks("vault")).toMatchObject({ state: "warning", advice: either });
  await (await openStore({ dataDir })).close();
  expect(await runChecks("sources")).toMatchObject({ state: "warning", advice: either });
});
