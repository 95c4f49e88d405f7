import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "@pdpp/server/store/store";
import { buildTinyManifest, type CliVault, createCliVault, toNdjson } from "@pdpp/test-support/cli/cli-vault";
import { runPdpp } from "@pdpp/test-support/cli/run-pdpp";
import { afterAll, beforeAll, expect, it } from "vitest";

let vault: CliVault;
beforeAll(async () => {
  vault = createCliVault({ isInProcess: true });
  await vault.json(["connector", "add", vault.file("notes.json", buildTinyManifest("notes", "entries"))]);
  await vault.json(["connection", "add", "notes", "--id", "mine"]);
  const records = [1, 2, 3].map((n) => ({ data: { id: `n${n}`, title: `the gutter, part ${n}` } }));
  await vault.json(["ingest", "mine", "entries", vault.file("records.ndjson", toNdjson(records))]);
});
afterAll(() => vault.drop());

const at = (name: string): string => join(vault.directory, name);
const elsewhere = (args: readonly string[], env: Record<string, string> = {}) =>
  runPdpp(args, { env: { HOME: vault.directory, ...env } });

it("[BAK-1] backs up a vault that is open, verifies the file, and restores it", async () => {
  const open = await openStore({ dataDir: at("vault") });
  try {
    expect(await vault.json(["backup", at("one.pdpp")])).toMatchObject({
      object: "backup",
      file: at("one.pdpp"),
      encrypted: false,
      blobs_missing: 0,
    });
  } finally {
    await open.close();
  }
  const verified = await elsewhere(["backup", "verify", at("one.pdpp")]);
  expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining("is intact") });
  const restored = await elsewhere(["restore", at("one.pdpp"), "--data-dir", at("new")]);
  expect(restored, restored.stderr).toMatchObject({ code: 0 });
  expect(readdirSync(at("new")).sort()).toEqual(["vault.db"]);
  const before = await vault.run(["export"]);
  const after = await elsewhere(["export", "--data-dir", at("new")]);
  expect(after.stdout).toBe(before.stdout);
  expect(after.stdout.split("\n")).toHaveLength(4);
});

it("[BAK-2] says in words what is wrong with a file or a place", async () => {
  writeFileSync(at("cut.pdpp"), readFileSync(at("one.pdpp")).subarray(0, 2000));
  writeFileSync(at("other.pdpp"), "hello");
  const answers = [
    [["restore", at("cut.pdpp"), "--data-dir", at("none")], /truncated.*nothing was restored/],
    [["backup", "verify", at("cut.pdpp")], /truncated/],
    [["backup", "verify", at("other.pdpp")], /is not a pdpp backup/],
    [["backup", "verify", at("absent.pdpp")], /cannot read/],
    [["restore", at("one.pdpp"), "--data-dir", at("vault")], /already contains a vault.*\n.*choose an empty/],
    [["backup", at("one.pdpp"), "--data-dir", at("vault")], /already exists/],
    [["backup", at("two.pdpp"), "--data-dir", at("none")], /there is no vault in/],
    [
      ["restore", at("one.pdpp"), "--data-dir", at("none"), "--revocations", at("absent")],
      /absent not found; create it with: pdpp revocations/,
    ],
  ] as const;
  for (const [args, words] of answers) {
    const ran = await elsewhere(args);
    expect(ran.code, args.join(" ")).not.toBe(0);
    expect(ran.stderr).toMatch(words);
  }
  expect(existsSync(at("none")) ? readdirSync(at("none")) : []).toEqual([]);
});

it("[BAK-3] takes the passphrase from a file or the environment, and never shows it", async () => {
  const secret = vault.file("secret.txt", "correct horse\n");
  expect(await vault.json(["backup", at("locked.pdpp"), "--passphrase-file", secret])).toMatchObject({
    encrypted: true,
  });
  expect(await elsewhere(["backup", "verify", at("locked.pdpp")])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("--passphrase-file"),
  });
  const wrong = await elsewhere(["backup", "verify", at("locked.pdpp")], { PDPP_BACKUP_PASSPHRASE: "wrong horse" });
  expect(wrong.stderr).toContain("wrong passphrase for this backup");
  expect(wrong.stderr).not.toContain("wrong horse");
  const restored = await elsewhere(["restore", at("locked.pdpp"), "--data-dir", at("unlocked")], {
    PDPP_BACKUP_PASSPHRASE: "correct horse",
  });
  expect(restored, restored.stderr).toMatchObject({ code: 0 });
});

it("[BAK-4] revocations are written to a file, and a restore elsewhere takes them along", async () => {
  const client = ["grant", "create", "--client", "Reader", "--connection", "mine", "--stream", "entries"];
  const { grants } = await vault.json<{ grants: { grant_id: string }[] }>(client);
  await vault.json(["backup", at("before.pdpp")]);
  await vault.json(["grant", "revoke", grants[0]!.grant_id]);
  const { stdout } = await vault.run(["revocations"]);
  expect(stdout).toContain(grants[0]!.grant_id);
  const file = vault.file("revoked.ndjson", stdout);
  const args = ["restore", at("before.pdpp"), "--data-dir", at("later"), "--revocations", file, "--json"];
  const restored = await elsewhere(args);
  expect(JSON.parse(restored.stdout)).toMatchObject({ revoked_again: 2 });
  const listed = await elsewhere(["grant", "list", "--json", "--data-dir", at("later")]);
  expect(JSON.parse(listed.stdout).data).toMatchObject([{ status: "revoked" }]);
  expect(statSync(at("later/revocations.ndjson")).mode & 0o777).toBe(0o600);
});
