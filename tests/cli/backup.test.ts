import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "@pdpp/server/store/store";
import { buildTinyManifest, type CliVault, createCliVault, toNdjson } from "@pdpp/test-support/cli/cli-vault";
import { printedCommand, runPdpp } from "@pdpp/test-support/cli/run-pdpp";
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

const locateFile = (name: string): string => join(vault.directory, name);
const runElsewhere = (args: readonly string[], env: Record<string, string> = {}) =>
  runPdpp(args, { env: { HOME: vault.directory, ...env } });

it("[BAK-1] backs up a vault that is open, verifies the file, and restores it", async () => {
  const open = await openStore({ dataDir: locateFile("vault") });
  try {
    expect(await vault.json(["backup", locateFile("one.pdpp")])).toMatchObject({
      object: "backup",
      file: locateFile("one.pdpp"),
      encrypted: false,
      blobs_missing: 0,
    });
  } finally {
    await open.close();
  }
  const verified = await runElsewhere(["backup", "verify", locateFile("one.pdpp")]);
  expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining("is intact") });
  const restored = await runElsewhere(["restore", locateFile("one.pdpp"), "--data-dir", locateFile("new")]);
  expect(restored, restored.stderr).toMatchObject({ code: 0 });
  expect(readdirSync(locateFile("new")).sort()).toEqual(["vault.db"]);
  const before = await vault.run(["export"]);
  const after = await runElsewhere(["export", "--data-dir", locateFile("new")]);
  expect(after.stdout).toBe(before.stdout);
  expect(after.stdout.split("\n")).toHaveLength(4);
});

it("[BAK-2] explains what is wrong with a file or a destination", async () => {
  writeFileSync(locateFile("cut.pdpp"), readFileSync(locateFile("one.pdpp")).subarray(0, 2000));
  writeFileSync(locateFile("other.pdpp"), "hello");
  const answers = [
    [["restore", locateFile("cut.pdpp"), "--data-dir", locateFile("none")], /truncated.*nothing was restored/],
    [["backup", "verify", locateFile("cut.pdpp")], /truncated/],
    [["backup", "verify", locateFile("other.pdpp")], /is not a pdpp backup/],
    [["backup", "verify", locateFile("absent.pdpp")], /cannot read/],
    [
      ["restore", locateFile("one.pdpp"), "--data-dir", locateFile("vault")],
      /already contains a vault.*\n.*choose an empty/,
    ],
    [["backup", locateFile("one.pdpp"), "--data-dir", locateFile("vault")], /already exists/],
    [["backup", locateFile("two.pdpp"), "--data-dir", locateFile("none")], /there is no vault in/],
    [
      ["restore", locateFile("one.pdpp"), "--data-dir", locateFile("none"), "--revocations", locateFile("absent")],
      new RegExp(`absent not found; create it with: ${printedCommand} revocations`),
    ],
  ] as const;
  for (const [args, words] of answers) {
    const ran = await runElsewhere(args);
    expect(ran.code, args.join(" ")).not.toBe(0);
    expect(ran.stderr).toMatch(words);
  }
  expect(existsSync(locateFile("none")) ? readdirSync(locateFile("none")) : []).toEqual([]);
});

it("[BAK-3] takes the passphrase from a file or the environment, and never shows it", async () => {
  const secret = vault.file("secret.txt", "correct horse\n");
  expect(await vault.json(["backup", locateFile("locked.pdpp"), "--passphrase-file", secret])).toMatchObject({
    encrypted: true,
  });
  expect(await runElsewhere(["backup", "verify", locateFile("locked.pdpp")])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("--passphrase-file"),
  });
  const wrong = await runElsewhere(["backup", "verify", locateFile("locked.pdpp")], {
    PDPP_BACKUP_PASSPHRASE: "wrong horse",
  });
  expect(wrong.stderr).toContain("wrong passphrase for this backup");
  expect(wrong.stderr).not.toContain("wrong horse");
  const restored = await runElsewhere(["restore", locateFile("locked.pdpp"), "--data-dir", locateFile("unlocked")], {
    PDPP_BACKUP_PASSPHRASE: "correct horse",
  });
  expect(restored, restored.stderr).toMatchObject({ code: 0 });
});

it("[BAK-4] writes revocations to a file, and a restore elsewhere applies them", async () => {
  const client = ["grant", "create", "--client", "Reader", "--connection", "mine", "--stream", "entries"];
  const { grants } = await vault.json<{ grants: { grant_id: string }[] }>(client);
  await vault.json(["backup", locateFile("before.pdpp")]);
  await vault.json(["grant", "revoke", grants[0]!.grant_id]);
  const { stdout } = await vault.run(["revocations"]);
  expect(stdout).toContain(grants[0]!.grant_id);
  const file = vault.file("revoked.ndjson", stdout);
  const args = [
    "restore",
    locateFile("before.pdpp"),
    "--data-dir",
    locateFile("later"),
    "--revocations",
    file,
    "--json",
  ];
  const restored = await runElsewhere(args);
  expect(JSON.parse(restored.stdout)).toMatchObject({ revoked_again: 2 });
  const listed = await runElsewhere(["grant", "list", "--json", "--data-dir", locateFile("later")]);
  expect(JSON.parse(listed.stdout).data).toMatchObject([{ status: "revoked" }]);
  expect(statSync(locateFile("later/revocations.ndjson")).mode & 0o777).toBe(0o600);
});
