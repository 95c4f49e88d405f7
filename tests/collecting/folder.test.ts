import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunDocument, SourceDocument } from "@pdpp/contract/sources";
import { type CliVault, createCliVault } from "@pdpp/test-support/cli/cli-vault";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeZip } from "../importers/archives/zip-writer.ts";
import { buildMail } from "./folder-files.ts";

const card = (n: number): string => `BEGIN:VCARD\nVERSION:3.0\nUID:card-${n}\nFN:Person ${n}\nEND:VCARD\n`;
const chat = "[31/12/2025, 10:00:00] Ada: Hello\n[31/12/2025, 10:01:00] Ben: Hello Ada\n";

interface Exported {
  readonly stream: string;
  readonly data: Readonly<Record<string, unknown>>;
}

describe("a folder as a source", () => {
  let vault: CliVault;
  let folder: string;
  beforeEach(() => {
    vault = createCliVault({ isInProcess: true });
    folder = join(vault.directory, "Inbox");
    mkdirSync(folder);
  });
  afterEach(() => vault.drop());

  /** Files look as if they were written an hour ago, unless a test is about files that are being written. */
  const write = (name: string, content: string | Uint8Array): void => {
    const path = join(folder, name);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, content);
  };
  const add = (...more: string[]) => vault.json<SourceDocument>(["source", "add", "folder", folder, "--yes", ...more]);
  const sync = async (...more: string[]): Promise<RunDocument> => {
    const { code, stdout, stderr } = await vault.run(["source", "sync", "inbox", ...more, "--json"]);
    expect([0, 1], stderr).toContain(code);
    const [run] = (JSON.parse(stdout) as { data: RunDocument[] }).data;
    if (run === undefined) throw new Error("no run");
    return run;
  };
  const listRecords = async (stream: string): Promise<Exported["data"][]> => {
    const { stdout } = await vault.run(["export"]);
    return stdout
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as Exported)
      .flatMap((record) => (record.stream === stream ? [record.data] : []));
  };
  const listImports = async () => (await vault.json<{ data: unknown[] }>(["imports"])).data;

  it("[COL-123] leaves connections alone that another source collects into, unless it is told otherwise", async () => {
    write("card.vcf", card(1));
    const account = ["source", "add", "carddav", "--url", "http://127.0.0.1:9", "--user", "ada"];
    expect(await vault.json<SourceDocument>(account)).toMatchObject({ connection_id: "carddav" });
    await add();
    expect((await sync()).imported).toMatchObject([{ connection_id: "vcard", files: 1 }]);
    write("more.vcf", card(2));
    expect((await sync()).imported).toMatchObject([{ connection_id: "vcard" }]);
    await vault.json(["source", "remove", "inbox", "--yes"]);
    await add("--into", "carddav");
    expect((await sync()).imported).toMatchObject([{ connection_id: "carddav", files: 2 }]);
  });

  it("[COL-30] imports what is dropped in, reads nothing twice, and continues a mailbox that grows", async () => {
    write("mail.mbox", buildMail(1) + buildMail(2));
    expect(await vault.run(["source", "add", "folder", folder])).toMatchObject({
      code: 64,
      stderr: expect.stringContaining("add --yes"),
    });
    expect(await add()).toMatchObject({
      source_id: "inbox",
      kind: "folder",
      settings: { path: folder, absent: "keep" },
    });
    const first = await sync();
    expect(first).toMatchObject({
      status: "succeeded",
      imported: [
        {
          connection_id: "mail-files",
          connector_key: "mail-files",
          files: 1,
          unchanged_files: 0,
          tally: { streams: { messages: { stored: 2 } } },
        },
      ],
    });
    expect(await listImports()).toMatchObject([{ import_id: first.imported?.[0]?.import_id }]);
    const second = await sync();
    expect(second).toMatchObject({ status: "succeeded", imported: [{ unchanged_files: 1, tally: { read: 0 } }] });
    expect(second.imported?.[0]).not.toHaveProperty("import_id");
    expect(await listImports()).toHaveLength(1);

    write(
      "takeout-20261101.zip",
      writeZip([
        { name: "Takeout/Mail/All mail.mbox", content: buildMail(3) },
        { name: "Takeout/Contacts/All/All.vcf", content: card(1) },
      ]),
    );
    appendFileSync(join(folder, "mail.mbox"), buildMail(4));
    const third = await sync();
    expect(third.imported?.map(({ connector_key, tally }) => [connector_key, tally.read])).toEqual([
      ["mail-files", 2],
      ["vcard", 1],
    ]);
    expect(await listRecords("messages")).toHaveLength(4);
    expect((await sync("--full")).imported).toMatchObject([
      { tally: { streams: { messages: { stored: 0, unchanged: 4 } } } },
      { tally: { streams: { contacts: { unchanged: 1 } } } },
    ]);
    const shown = await vault.run(["source", "show", "inbox"]);
    expect(shown.stdout).toContain(`path ${folder}`);
    expect(shown.stdout).toMatch(/mail-files: 2 files/);
  });

  it("[COL-31] leaves files that are being written for later, and partial downloads and hidden files alone", async () => {
    write("mail.mbox", buildMail(1));
    for (const name of [
      ".hidden.mbox",
      "half.mbox.part",
      "half.mbox.crdownload",
      "x.tmp",
      "notes.md~",
      "y.download/z.mbox",
    ])
      write(name, buildMail(9));
    await add();
    const writing = join(folder, "growing.mbox");
    writeFileSync(writing, buildMail(2));
    const timer = setInterval(() => appendFileSync(writing, buildMail(3)), 50);
    try {
      expect(await sync()).toMatchObject({
        status: "succeeded",
        imported: [{ files: 1, tally: { streams: { messages: { stored: 1 } } } }],
        skipped: [{ reason: "being_written", message: expect.stringContaining("growing.mbox") }],
      });
    } finally {
      clearInterval(timer);
    }
    expect(await sync()).toMatchObject({ imported: [{ files: 2, tally: { streams: { messages: { stored: 2 } } } }] });
    expect((await listRecords("messages")).map(({ subject }) => subject).sort()).toEqual([
      "Boiler 1",
      "Boiler 2",
      "Boiler 3",
    ]);
  });

  it("[COL-32] imports what needs no answer, and says how to answer the rest", async () => {
    write("WhatsApp Chat with Ada.txt", chat);
    write("mail.mbox", buildMail(1));
    write("strange.bin", "what is this");
    await add();
    const run = await sync();
    expect(run).toMatchObject({ status: "succeeded", imported: [{ connection_id: "mail-files" }] });
    expect(run.skipped?.map(({ reason }) => reason)).toEqual(["needs_answer", "unrecognized"]);
    const advice = `pdpp import ${folder} --as whatsapp --label WhatsApp --time-zone ANSWER`;
    expect(run.skipped?.[0]?.message).toContain(advice);
    expect(run.skipped?.[1]?.message).toContain("strange.bin");
    await vault.json([...advice.replace("ANSWER", "Europe/Berlin").split(" ").slice(1), "--yes"]);
    expect((await sync()).skipped?.map(({ reason }) => reason)).toEqual(["unrecognized"]);
    // The answer holds for the next chat as well.
    write("WhatsApp Chat with Ada.txt", `${chat}[01/01/2026, 10:00:00] Ada: Later\n`);
    expect((await sync()).imported?.find(({ connector_key }) => connector_key === "whatsapp")).toMatchObject({
      tally: { streams: { messages: { stored: 1 } } },
    });
  });

  const writeNotes = (...names: string[]): void => {
    write(".obsidian/app.json", "{}");
    for (const name of names) write(name, `# About ${name}\n\nThis is what ${name} says.\n`);
  };
  const listTitles = async (): Promise<unknown[]> => (await listRecords("notes")).map(({ title }) => title).sort();

  it("[COL-33] follows renamed, moved and edited notes, and keeps deleted ones", async () => {
    writeNotes("a.md", "b.md", "c.md", "d.md");
    write("pic.png", "not really a picture");
    write("e.md", "# E\n\n![[pic.png]]\n");
    await add();
    await sync();
    expect(await listTitles()).toEqual(["a", "b", "c", "d", "e"]);
    expect(await listRecords("attachments")).toHaveLength(1);
    renameSync(join(folder, "a.md"), join(folder, "renamed.md"));
    mkdirSync(join(folder, "Archive"));
    renameSync(join(folder, "b.md"), join(folder, "Archive", "b.md"));
    renameSync(join(folder, "e.md"), join(folder, "Archive", "e.md"));
    write("c.md", "Something else.\n");
    rmSync(join(folder, "d.md"));
    const run = await sync();
    expect(run.imported).toMatchObject([{ tally: { streams: { notes: { stored: 3, changed: 1, deleted: 3 } } } }]);
    expect(await listTitles()).toEqual(["b", "c", "d", "e", "renamed"]);
    expect((await listRecords("notes")).map(({ id }) => id).sort()).toEqual([
      "Archive/b.md",
      "Archive/e.md",
      "c.md",
      "d.md",
      "renamed.md",
    ]);
    expect((await listRecords("attachments")).map(({ note_id }) => note_id)).toEqual(["Archive/e.md"]);
    expect((await sync()).imported).toMatchObject([{ tally: { read: 0 } }]);
  });

  it("[COL-33] recognizes a mail that its program renamed", async () => {
    for (const sub of ["cur", "new", "tmp", ".Sent/cur", ".Sent/new"])
      mkdirSync(join(folder, sub), { recursive: true });
    const plain = (n: number): string => buildMail(n).replace(/^From .*\n/, "");
    write("new/1.host", plain(1));
    write(".Sent/cur/2.host:2,S", plain(2));
    await add();
    expect((await sync()).imported).toMatchObject([{ tally: { streams: { messages: { stored: 2 } } } }]);
    // Another name with the same flags, and a name that says that the mail was seen.
    renameSync(join(folder, "new/1.host"), join(folder, "cur/1.host:2,"));
    write("new/3.host", plain(3));
    expect((await sync()).imported).toMatchObject([
      { unchanged_files: 2, tally: { streams: { messages: { stored: 1 } } } },
    ]);
    renameSync(join(folder, "cur/1.host:2,"), join(folder, "cur/1.host:2,S"));
    expect((await sync()).imported).toMatchObject([
      { unchanged_files: 2, tally: { streams: { messages: { stored: 0, changed: 1 } } } },
    ]);
    expect(await listRecords("messages")).toHaveLength(3);
  });

  it("[COL-34] fails without deleting anything if the folder is gone", async () => {
    writeNotes("a.md", "b.md");
    await add("--absent", "delete");
    await sync();
    renameSync(folder, `${folder}-away`);
    const run = await sync();
    expect(run).toMatchObject({
      status: "failed",
      error: { code: "folder_missing", message: expect.stringContaining("Nothing was deleted"), is_retryable: true },
    });
    // The folder of a disk that is not mounted is empty.
    mkdirSync(folder);
    expect(await sync()).toMatchObject({ status: "succeeded", imported: [] });
    expect(await listTitles()).toEqual(["a", "b"]);
    rmSync(folder, { recursive: true });
    renameSync(`${folder}-away`, folder);
    expect((await sync()).status).toBe("succeeded");
    expect(await listTitles()).toEqual(["a", "b"]);
  });

  it("[COL-35] deletes what is gone only if asked, and only while nothing looks wrong", async () => {
    const names = Array.from({ length: 60 }, (_, n) => `note ${n}.md`);
    writeNotes(...names);
    await add("--absent", "delete");
    expect((await sync()).imported).toMatchObject([{ connection_id: "note-folders", files: 60 }]);
    expect((await vault.json<{ data: object[] }>(["connection", "list"])).data).toMatchObject([
      { display_name: "Inbox" },
    ]);
    rmSync(join(folder, "note 0.md"));
    renameSync(join(folder, "note 1.md"), join(folder, "renamed.md"));
    expect((await sync()).imported).toMatchObject([{ tally: { streams: { notes: { stored: 1, deleted: 2 } } } }]);
    expect(await listTitles()).toHaveLength(59);

    // A file that is being written may have the missing note.
    rmSync(join(folder, "note 2.md"));
    const writing = join(folder, "growing.md");
    writeFileSync(writing, "x");
    const timer = setInterval(() => appendFileSync(writing, "x"), 50);
    const during = await sync().finally(() => clearInterval(timer));
    expect(during.skipped).toMatchObject([{ reason: "being_written" }, { reason: "absent_kept" }]);
    expect(await listTitles()).toContain("note 2");
    expect((await sync()).imported).toMatchObject([{ tally: { streams: { notes: { deleted: 1 } } } }]);
    expect(await listTitles()).not.toContain("note 2");

    for (const name of names.slice(10)) rmSync(join(folder, name));
    const refused = await sync();
    expect(refused.skipped).toMatchObject([{ reason: "absent_kept", message: expect.stringContaining("50 notes") }]);
    expect(await listTitles()).toHaveLength(59);
    expect((await sync()).skipped).toMatchObject([{ reason: "absent_kept" }]);
    const advice = /pdpp (import .*)/.exec(refused.skipped?.[0]?.message ?? "")?.[1] ?? "";
    await vault.json([...advice.split(" "), "--yes"]);
    expect((await sync()).skipped).toBeUndefined();
    expect(await listTitles()).toHaveLength(9);
  });
});
