import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunDocument, SourceDocument } from "@pdpp/contract/sources";
import { type CliVault, createCliVault } from "@pdpp/test-support/cli/cli-vault";
import { createDatabase } from "@pdpp/test-support/vaults/new-vault";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildMail } from "./folder-files.ts";

describe("a folder as a source of a vault on PostgreSQL", () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let vault: CliVault;
  let folder: string;
  beforeAll(async () => {
    database = await createDatabase();
    vault = createCliVault({ databaseUrl: database.url, isInProcess: true });
    folder = join(vault.directory, "Inbox");
    mkdirSync(folder);
  });
  afterAll(async () => {
    vault.drop();
    await database.drop();
  });

  const sync = async (): Promise<RunDocument | undefined> => {
    const { stdout } = await vault.run(["source", "sync", "inbox", "--json"]);
    return (JSON.parse(stdout) as { data: RunDocument[] }).data[0];
  };
  const countMails = async (): Promise<number> =>
    (await vault.run(["export", "--stream", "messages"])).stdout.split("\n").filter((line) => line !== "").length;

  it("[COL-30] [COL-34] [COL-35] imports, continues, deletes what is gone, and keeps all if the folder is", async () => {
    const notes = Array.from({ length: 8 }, (_, n) => join(folder, `note ${n}.md`));
    mkdirSync(join(folder, ".obsidian"));
    writeFileSync(join(folder, ".obsidian", "app.json"), "{}");
    for (const [n, note] of notes.entries()) writeFileSync(note, `# Note ${n}\n\nText of note ${n}.\n`);
    writeFileSync(join(folder, "mail.mbox"), buildMail(1) + buildMail(2));
    await vault.json<SourceDocument>(["source", "add", "folder", folder, "--absent", "delete", "--yes"]);
    expect(await sync()).toMatchObject({ status: "succeeded", tally: { read: 0 } });
    expect((await vault.json<{ data: RunDocument[] }>(["source", "runs", "inbox"])).data[0]?.imported).toMatchObject([
      { tally: { streams: { messages: { stored: 2 } } } },
      { tally: { streams: { notes: { stored: 8 } } } },
    ]);
    appendFileSync(join(folder, "mail.mbox"), buildMail(3));
    rmSync(notes[0] ?? "");
    expect((await sync())?.imported).toMatchObject([
      { tally: { streams: { messages: { stored: 1 } } } },
      { tally: { streams: { notes: { deleted: 1 } } } },
    ]);
    expect(await countMails()).toBe(3);
    expect((await sync())?.imported).toMatchObject([{ tally: { read: 0 } }, { tally: { read: 0 } }]);
    renameSync(folder, `${folder}-away`);
    expect(await sync()).toMatchObject({ status: "failed", error: { code: "folder_missing" } });
    expect(await countMails()).toBe(3);
  });
});
