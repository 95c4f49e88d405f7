import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CliVault, createCliVault } from "@pdpp/test-support/cli/cli-vault";
import { runCommand } from "@pdpp/test-support/cli/run-in-process";
import { afterAll, beforeAll, expect, it } from "vitest";
import { chooseBackupFile, rotateBackups } from "../../packages/cli/src/backup/backup-folder.ts";

let vault: CliVault;
let location: { readonly dataDir: string };
beforeAll(async () => {
  vault = createCliVault({ isInProcess: true });
  location = { dataDir: join(vault.directory, "vault") };
  await vault.json(["connection", "list"]);
});
afterAll(() => vault.drop());

/** Puts files where backups of that day would be. */
function plantBackups(folder: string, days: readonly string[], of = location): string[] {
  mkdirSync(folder, { recursive: true });
  const files = days.map((day) => chooseBackupFile(folder, 1, of, new Date(`${day}T03:00:00Z`)));
  for (const file of files) writeFileSync(file, "an earlier backup");
  return files.map((file) => file.slice(folder.length + 1));
}

it("[BAK-8] keeps the newest backups of this vault and every other file", async () => {
  const folder = join(vault.directory, "kept");
  const [oldest, ...newer] = plantBackups(folder, ["2026-01-01", "2026-01-02", "2026-01-03"]);
  const others = plantBackups(folder, ["2025-01-01"], { dataDir: "/srv/another" });
  others.push("notes.txt", "pdpp-copy.pdpp", `${oldest}.part`, `old-${oldest}`);
  for (const name of others) writeFileSync(join(folder, name), "keep me");
  mkdirSync(join(folder, oldest!.replace("2026-01", "2024-01")));
  const made = await vault.json<{ file: string; verified: boolean; deleted: string[] }>([
    "backup",
    folder,
    "--keep",
    "3",
  ]);
  expect(made).toMatchObject({ verified: true, deleted: [join(folder, oldest!)] });
  const left = readdirSync(folder);
  expect(left).not.toContain(oldest);
  expect(left).toEqual(expect.arrayContaining([...newer, ...others, made.file.slice(folder.length + 1)]));
  expect(left).toHaveLength(newer.length + others.length + 2);
  expect(await vault.json(["backup", "verify", made.file])).toMatchObject({ ok: true });
});

it("[BAK-8] creates the folder, for its owner alone, and names a file in it without --keep too", async () => {
  const folder = join(vault.directory, "new", "backups");
  const first = await vault.json<{ file: string; deleted: string[] }>(["backup", folder, "--keep", "1"]);
  expect(first.deleted).toEqual([]);
  expect(first.file).toMatch(/backups\/pdpp-[0-9a-f]{8}-\d{4}-\d{2}-\d{2}T\d{6}Z\.pdpp$/);
  const plain = join(vault.directory, "plain");
  plantBackups(plain, ["2026-01-01", "2026-01-02"]);
  expect(await vault.json(["backup", plain])).not.toHaveProperty("deleted");
  expect(readdirSync(plain)).toHaveLength(3);
});

it("[BAK-8] deletes nothing if the backup or its verification fails, and wants a folder", async () => {
  const folder = join(vault.directory, "failing");
  const planted = plantBackups(folder, ["2026-01-01", "2026-01-02"]);
  const failed = await runCommand(["backup", folder, "--keep", "1", "--data-dir", join(vault.directory, "nothing")]);
  expect(failed).toMatchObject({ code: 5, stderr: expect.stringContaining("there is no vault") });
  const rotating = rotateBackups(join(folder, planted[1]!), 1, location, () => Promise.reject(new Error("damaged")));
  await expect(rotating).rejects.toThrow("damaged");
  expect(readdirSync(folder).sort()).toEqual(planted);
  const file = vault.file("a-file", "text");
  const refused = await vault.run(["backup", file, "--keep", "2"]);
  expect(refused).toMatchObject({ code: 64, stderr: expect.stringContaining("--keep needs a folder") });
  const absent = join(vault.directory, "monday.pdpp");
  expect(await vault.run(["backup", absent, "--keep", "2"])).toMatchObject({
    code: 64,
    stderr: expect.stringContaining("monday.pdpp is named like a file"),
  });
  expect(existsSync(absent)).toBe(false);
});

it("[BAK-8] never deletes the backup that was just made, even if others have a later date", async () => {
  const folder = join(vault.directory, "clock");
  const [newest, ...later] = plantBackups(folder, ["2026-01-01", "2027-01-01", "2028-01-01"]);
  const deleted = await rotateBackups(join(folder, newest!), 1, location, async () => undefined);
  expect(deleted.sort()).toEqual(later.map((name) => join(folder, name)).sort());
  expect(readdirSync(folder)).toEqual([newest]);
});
