import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CliVault, createCliVault } from "@pdpp/test-support/cli/cli-vault";
import { afterEach, beforeEach, expect, it } from "vitest";
import { writeZip } from "../archives/zip-writer.ts";

const buildCard = (name: string): string => `BEGIN:VCARD\nVERSION:3.0\nUID:${name}\nFN:${name}\nEND:VCARD\n`;

interface Result {
  readonly absent: { readonly connection_id: string; readonly stream: string; readonly records: number }[];
  readonly deleted?: number;
}

let vault: CliVault;
beforeEach(() => {
  vault = createCliVault({ isInProcess: true });
});
afterEach(() => vault.drop());

function writeCards(name: string, ...parts: readonly string[]): string {
  const path = join(vault.directory, name);
  writeFileSync(path, parts.join(""));
  return path;
}

async function listNames(): Promise<string[]> {
  const { stdout } = await vault.run(["export"]);
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line): string => JSON.parse(line).data.display_name)
    .sort();
}

it("[IMP-13] keeps records that a complete export lacks, or deletes them if the owner says so", async () => {
  await vault.json(["import", writeCards("a.vcf", buildCard("Ada"), buildCard("Ben"), buildCard("Cem")), "--yes"]);
  const newer = writeCards("b.vcf", buildCard("Ada"), buildCard("Cem"), buildCard("Dot"));
  const kept = await vault.json<Result>(["import", newer, "--yes"]);
  expect([kept.absent, kept.deleted]).toEqual([[{ connection_id: "vcard", stream: "contacts", records: 1 }], 0]);
  expect(await listNames()).toEqual(["Ada", "Ben", "Cem", "Dot"]);

  const planned = await vault.json<Result>(["import", newer, "--absent", "delete", "--dry-run"]);
  expect(planned.absent).toEqual([{ connection_id: "vcard", stream: "contacts", records: 1 }]);
  expect(await listNames()).toHaveLength(4);
  const asked = await vault.run(["import", newer, "--absent", "delete"]);
  expect([asked.code, asked.stderr]).toEqual([64, expect.stringMatching(/delete 1 record/)]);

  const gone = await vault.json<Result>(["import", newer, "--absent", "delete", "--yes"]);
  expect(gone.deleted).toBe(1);
  expect(await listNames()).toEqual(["Ada", "Cem", "Dot"]);
});

it("[IMP-13] deletes nothing if an item could not be read", async () => {
  await vault.json(["import", writeCards("a.vcf", buildCard("Ada"), buildCard("Ben")), "--yes"]);
  const broken = writeCards("b.vcf", buildCard("Ada"), "BEGIN:VCARD\nVERSION:3.0\nFN:Ben");
  const { code, stderr } = await vault.run(["import", broken, "--absent", "delete", "--yes"]);
  expect([code, stderr]).toEqual([64, expect.stringMatching(/could not be read.*--absent delete/s)]);
  expect(await listNames()).toEqual(["Ada", "Ben"]);
});

it("[IMP-13] deletes nothing if a file could not be opened", async () => {
  await vault.json(["import", writeCards("a.vcf", buildCard("Ada")), writeCards("b.vcf", buildCard("Ben")), "--yes"]);
  const archive = join(vault.directory, "newer.zip");
  const locked = { name: "b.vcf", content: buildCard("Ben"), encrypted: true };
  writeFileSync(archive, writeZip([{ name: "a.vcf", content: buildCard("Ada") }, locked]));
  const { code, stderr } = await vault.run(["import", archive, "--absent", "delete", "--yes"]);
  expect([code, stderr]).toEqual([64, expect.stringMatching(/b\.vcf could not be read.*--absent delete/s)]);
  expect(await listNames()).toEqual(["Ada", "Ben"]);
});

it("[IMP-13] deletes nothing for a format whose exports are partial", async () => {
  const chat = writeCards(
    "WhatsApp Chat with Ada.txt",
    "13/01/2024, 10:00 - Ada: boiler\n13/01/2024, 10:01 - Ben: which?\n",
  );
  const given = ["--time-zone", "UTC", "--yes"];
  const { code, stderr } = await vault.run(["import", chat, "--absent", "delete", ...given]);
  expect([code, stderr]).toEqual([64, expect.stringMatching(/WhatsApp exports are partial/)]);
  expect((await vault.json<{ data: unknown[] }>(["connection", "list"])).data).toEqual([]);
});

it("[IMP-10] reports a stream that the export does not have, and writes nothing", async () => {
  const { code, stderr } = await vault.run([
    "import",
    writeCards("a.vcf", buildCard("Ada")),
    "--only",
    "contact",
    "--yes",
  ]);
  expect([code, stderr]).toEqual([64, expect.stringMatching(/no stream contact; choose from: contacts/)]);
  expect(await listNames()).toEqual([]);
});
