import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OwnerApi } from "@pdpp/contract/owner";
import type { Importer } from "@pdpp/importers/importer";
import { createMappingImporter } from "@pdpp/importers/tables/mapping";
import { parseMapping } from "@pdpp/importers/tables/mapping-file";
import { openTree, type Tree } from "@pdpp/importers/tree";
import { createVault, type EngineName, engineNames } from "@pdpp/test-support/vaults/new-vault";
import { afterAll, describe, expect, it } from "vitest";
import { mail } from "#importers/formats/mail/mail";
import { vcard } from "#importers/formats/vcard/vcard";
import { whatsapp } from "#importers/formats/whatsapp/whatsapp";
import type { Files } from "../generators/generator.ts";
import {
  addChecksums,
  answers,
  countReads,
  createMemoryTree,
  importRest,
  indexContent,
  listRecords,
  openOwner,
  sumReports,
} from "../support.ts";

const then = Date.UTC(2026, 0, 1);
const day = 86_400_000;

const formatMail = (n: number, more = ""): string =>
  `From: Ada <ada@example.org>\nSubject: Mail ${n}\nMessage-ID: <${n}@example.org>\nDate: Mon, 1 Jan 2024 10:00:00 +0000\n${more}\nBody of mail ${n}. ${"Words and more words. ".repeat(40)}\n`;
const formatMails = (...numbers: readonly number[]): Files =>
  Object.fromEntries(numbers.map((n) => [`cur/17000000${n}.M${n}.host:2,`, formatMail(n)]));
const formatMailbox = (...mails: readonly string[]): string =>
  mails.map((text) => `From ada@example.org Mon Jan  1 10:00:00 2024\n${text}\n`).join("");

const chat = (...lines: readonly string[]): Files => ({
  "WhatsApp Chat with Ada.txt": lines.map((line, n) => `13/01/2024, 10:${String(n + 10)} - ${line}\n`).join(""),
});

const table: Importer = createMappingImporter(
  parseMapping(
    JSON.stringify({
      pdpp_mapping: 1,
      shape: "notes",
      manifest: { connector_key: "my-books", display_name: "My books", version: "1.0.0" },
      streams: [
        {
          stream: "notes",
          source: { kind: "csv", columns: ["Title", "Read on"] },
          id: { hash: ["my-books", "{Title}"], numbered: true },
          fields: {
            title: { from: "{Title}", required: true },
            body: ["{Title}"],
            updated_at: { from: "{Read on}", type: "time", date_order: "detect" },
          },
        },
      ],
    }),
  ),
);
const books = (...rows: readonly string[]): Files => ({
  "books.csv": `Title,Read on\n${rows.map((row) => `${row}\n`).join("")}`,
});

const withOwner = async <T>(engine: EngineName, work: (owner: OwnerApi) => Promise<T>): Promise<T> => {
  const vault = await createVault(engine);
  try {
    return await work(await openOwner(vault, () => then));
  } finally {
    await vault.drop();
  }
};

interface Outcome {
  /** Items that were read. */
  readonly read: number;
  /** Whether something was skipped. */
  readonly isRecalled: boolean;
  readonly bytes: number;
}

type Options = Parameters<typeof importRest>[2];

async function importFiles(owner: OwnerApi, files: Files, at: number, options?: Options): Promise<Outcome> {
  return importCounted(owner, createMemoryTree(files, at), options);
}

async function importCounted(owner: OwnerApi, given: Tree, options?: Options): Promise<Outcome> {
  const { tree, count } = countReads(given);
  const report = await importRest(owner, tree, options);
  const { read } = sumReports(report.map(({ tally }) => tally));
  return { read, isRecalled: report.some(({ part }) => part.recalled !== undefined), bytes: count() };
}

const sizeOf = (files: Files): number => Object.values(files).reduce((sum, content) => sum + content.length, 0);

/** Imports the exports in turn, each a day newer. Returns the outcome of the last and the final content of the vault. */
async function importInTurn(engine: EngineName, exports: readonly Files[], options?: Options) {
  return withOwner(engine, async (owner) => {
    let last: Outcome | undefined;
    for (const [n, files] of exports.entries()) last = await importFiles(owner, files, then + n * day, options);
    return { last, content: indexContent(await listRecords(owner)) };
  });
}

/** The same imports, reading everything each time. */
const importAgain = (engine: EngineName, exports: readonly Files[], options?: Options) =>
  importInTurn(engine, exports, { ...options, again: true });

describe.each(engineNames)("[IMP-33] on %s", (engine) => {
  it("[IMP-40] reads only the new mails of a folder, and those whose flags changed, whatever mail programs renamed and removed", async () => {
    const older = formatMails(1, 2, 3, 4, 5, 6, 7, 8);
    const { "cur/170000001.M1.host:2,": seen = "", "cur/170000002.M2.host:2,": _removed, ...others } = older;
    const { "cur/170000003.M3.host:2,": moved = "", ...kept } = others;
    const renamed = { "cur/170000001.M1.host:2,S": seen, "Archive/cur/180000003.M3.host:2,": moved };
    const newer = { ...kept, ...renamed, ...formatMails(91, 92, 93) };
    const exports = [older, newer, newer];
    const { last, content } = await importInTurn(engine, exports.slice(0, 2));
    // Three are new, and one was read by a person.
    expect(last).toMatchObject({ read: 4, isRecalled: true });
    expect(content).toEqual((await importAgain(engine, exports)).content);
    expect((await importInTurn(engine, exports)).last).toMatchObject({ read: 0, isRecalled: true });
  });

  it("keeps mails that share an id, also if one of them was skipped", async () => {
    const [one, two] = ["List-Id: <a.example.org>\n", "List-Id: <b.example.org>\n"].map((list) => formatMail(1, list));
    const older = { ...formatMails(2, 3), "a.eml": one ?? "" };
    for (const exports of [
      [older, { ...older, "b.eml": two ?? "" }],
      [older, { ...older, "b.eml": two ?? "" }, older],
      [older, { "b.eml": two ?? "" }, older, { ...older, ...formatMails(4) }],
    ])
      expect((await importInTurn(engine, exports)).content).toEqual((await importAgain(engine, exports)).content);
  });

  it.each<[string, Importer, readonly Files[], number]>([
    [
      "a mailbox",
      mail,
      [
        [1, 2],
        [1, 2, 3],
      ].map((numbers) => ({ "all.mbox": formatMailbox(...numbers.map((n) => formatMail(n))) })),
      1,
    ],
    // The chat itself, with its people, is stored again.
    ["a chat", whatsapp, [chat("Ada: Hello", "Bob: Hi"), chat("Ada: Hello", "Bob: Hi", "Ada: Bye", "Cem: Bye")], 3],
    [
      "a table",
      table,
      [books("Emma,1.1.2024", "Emma,1.1.2024"), books("Emma,1.1.2024", "Emma,1.1.2024", "Emma,1.1.2024")],
      1,
    ],
  ])("continues %s that has grown", async (_, importer, exports, read) => {
    const importers = [importer];
    const { last, content } = await importInTurn(engine, exports, { importers });
    expect(last).toMatchObject({ read, isRecalled: true });
    expect(content).toEqual((await importAgain(engine, exports, { importers })).content);
    const once = await importInTurn(engine, [...exports, ...exports.slice(1)], { importers });
    expect(once.last).toMatchObject({ read: 0 });
  });

  it.each<[string, Importer, readonly Files[]]>([
    [
      "an earlier mail",
      mail,
      [
        { "all.mbox": formatMailbox(formatMail(1), formatMail(2)) },
        { "all.mbox": formatMailbox(formatMail(1).replace("Body", "Text"), formatMail(2), formatMail(3)) },
      ],
    ],
    [
      "the last mail, which was incomplete",
      mail,
      [
        { "all.mbox": formatMailbox(formatMail(1), formatMail(2)).trimEnd() },
        {
          "all.mbox": `${formatMailbox(formatMail(1), formatMail(2)).trimEnd()} The end.\n\n${formatMailbox(formatMail(3))}`,
        },
      ],
    ],
    [
      "the last message of a chat",
      whatsapp,
      [
        chat("Ada: Hello", "Bob: Hi"),
        { "WhatsApp Chat with Ada.txt": `${Object.values(chat("Ada: Hello", "Bob: Hi"))}there\n` },
      ],
    ],
    ["how a table writes dates", table, [books("Emma,1/2/2024"), books("Emma,1/2/2024", "Ulysses,13/2/2024")]],
  ])("reads everything if something changed %s", async (_, importer, exports) => {
    const importers = [importer];
    const { last, content } = await importInTurn(engine, exports, { importers });
    expect(last).toMatchObject({ isRecalled: false });
    expect(content).toEqual((await importAgain(engine, exports, { importers })).content);
  });

  it("reads everything again for other answers, other streams, another version and --again", () =>
    withOwner(engine, async (owner) => {
      const files = chat("Ada: Hello", "Bob: Hi");
      const importers = [whatsapp];
      const first = await importFiles(owner, files, then, { importers });
      const repeat = (options: Options) => importFiles(owner, files, then, { importers, ...options });
      expect(await repeat({})).toMatchObject({ read: 0, isRecalled: true });
      expect(await repeat({ again: true })).toMatchObject({ read: first.read });
      expect(await repeat({ said: { ...answers, time_zone: "Asia/Tokyo" } })).toMatchObject({ read: first.read });
      // Tokyo is now the last answer.
      expect(await repeat({})).toMatchObject({ read: first.read });
      expect(await repeat({ said: { ...answers, attachments: false } })).toMatchObject({ read: first.read });
      expect(await repeat({ only: ["messages"] })).toMatchObject({ read: first.read });
      const newer = { ...whatsapp, version: `${whatsapp.version}.1` };
      expect(await repeat({ importers: [newer] })).toMatchObject({ read: first.read });
      expect(await repeat({ importers: [newer] })).toMatchObject({ read: 0 });
    }));

  it("brings back a record that the owner deleted", () =>
    withOwner(engine, async (owner) => {
      const files = formatMails(1, 2, 3);
      await importFiles(owner, files, then);
      const deletion = { connection_id: "mail-files", stream: "messages", record_id: "<1@example.org>" };
      const [deleted] = (await listRecords(owner)).filter(({ id }) => id.includes("1@example.org"));
      await owner.records.delete({ ...deletion, record_id: deleted?.id ?? "" });
      expect(await listRecords(owner)).toHaveLength(2);
      expect(await importFiles(owner, files, then)).toMatchObject({ read: 3, isRecalled: false });
      expect(await listRecords(owner)).toHaveLength(3);
    }));

  it("tries a file again from which something was rejected", () =>
    withOwner(engine, async (owner) => {
      const files = { ...formatMails(1, 2, 3), "cur/170000009.M9.host:2,": "nothing that looks like a mail\n" };
      const broken: Importer = { ...mail, sniff: () => true };
      const importers = [broken];
      expect(await importFiles(owner, files, then, { importers })).toMatchObject({ read: 4 });
      expect(await importFiles(owner, files, then, { importers })).toMatchObject({ read: 1, isRecalled: true });
    }));

  it("remembers nothing that is not stored, and nothing of a connection that changed meanwhile", () =>
    withOwner(engine, async (owner) => {
      const files = formatMails(1, 2, 3);
      const crashing: OwnerApi = {
        ...owner,
        imports: { ...owner.imports, finish: () => Promise.reject(new Error("killed")) },
      };
      await expect(importFiles(crashing, files, then)).rejects.toThrow("killed");
      // Its records are stored, so that it resumes at its end.
      expect((await importFiles(owner, files, then)).isRecalled).toBe(false);
      const disturbed: OwnerApi = {
        ...owner,
        imports: {
          ...owner.imports,
          async finish(partId, read) {
            const [record] = await listRecords(owner);
            await owner.records.delete({
              connection_id: "mail-files",
              stream: "messages",
              record_id: record?.id ?? "",
            });
            await owner.imports.finish(partId, read);
          },
        },
      };
      await importFiles(disturbed, files, then, { again: true });
      expect(await listRecords(owner)).toHaveLength(2);
      expect(await importFiles(owner, files, then)).toMatchObject({ isRecalled: false });
      expect(await listRecords(owner)).toHaveLength(3);
    }));

  it("counts what a complete export lacks without reading it", () =>
    withOwner(engine, async (owner) => {
      const formatCards = (...names: readonly string[]): Files => ({
        "a.vcf": names.map((name) => `BEGIN:VCARD\nVERSION:3.0\nUID:${name}\nFN:${name}\nEND:VCARD\n`).join(""),
      });
      const importers = [vcard];
      await importFiles(owner, formatCards("Ada", "Ben", "Cem"), then, { importers });
      await importFiles(owner, formatCards("Ada", "Cem"), then + day, { importers });
      const [remembered] = await owner.imports.recall(["a.vcf"]);
      expect(await owner.imports.countOthers("vcard", "contacts", [remembered?.memory_id ?? ""])).toBe(1);
    }));
});

const folder = mkdtempSync(join(tmpdir(), "pdpp-repeat-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Longer ago than the clock of any file system is coarse. */
const wait = 5000;

describe("[IMP-33] files on disk", () => {
  const openFolder = async (work: (tree: Tree) => Promise<Outcome>): Promise<Outcome> => {
    const tree = await openTree([folder]);
    try {
      return await work(tree);
    } finally {
      await tree.close();
    }
  };

  it("are not opened if the file system says that they are the same, unless it may be mistaken", () =>
    withOwner("sqlite", async (owner) => {
      const path = join(folder, "1.eml");
      writeFileSync(path, formatMail(1));
      for (let n = 2; n < 20; n += 1) writeFileSync(join(folder, `${n}.eml`), formatMail(n));
      const size = sizeOf(formatMails(...Array.from({ length: 19 }, (_, n) => n + 1)));
      const importFolder = (lookedAt: number) => openFolder((tree) => importCounted(owner, tree, { lookedAt }));
      // Just written: whether they are the same is known only from their content.
      await importFolder(Date.now());
      const repeated = await importFolder(Date.now() + wait);
      expect(repeated.read).toBe(0);
      expect(repeated.bytes).toBeGreaterThanOrEqual(size);
      expect(await importFolder(Date.now() + wait)).toMatchObject({ read: 0, bytes: 0 });

      const { atime, mtime } = statSync(path);
      writeFileSync(path, formatMail(1).replace("Body of mail 1", "Text of mail 1"));
      utimesSync(path, atime, mtime);
      expect(statSync(path)).toMatchObject({ size: formatMail(1).length, mtime });
      // A mail that was changed may replace another, so everything is read.
      expect(await importFolder(Date.now() + wait)).toMatchObject({ read: 19, isRecalled: false });
      expect(JSON.stringify(await listRecords(owner))).toContain("Text of mail 1.");

      mkdirSync(join(folder, "moved"));
      for (let n = 10; n < 20; n += 1) renameSync(join(folder, `${n}.eml`), join(folder, "moved", `${n}.eml`));
      expect(await importFolder(Date.now() + wait)).toMatchObject({ read: 0, isRecalled: true });
      writeFileSync(join(folder, "moved", "20.eml"), formatMail(20));
      const added = await importFolder(Date.now() + wait);
      expect(added.read).toBe(1);
      // For the plan, the digest and the records.
      expect(added.bytes).toBeLessThan(formatMail(20).length * 10);
    }));

  it("of an archive are told apart by their checksums", () =>
    withOwner("sqlite", async (owner) => {
      const files = formatMails(1, 2, 3);
      const importArchive = async (content: Files) =>
        importCounted(owner, await addChecksums(createMemoryTree(content, then)));
      await importArchive(files);
      expect(await importArchive(files)).toMatchObject({ read: 0, bytes: 0 });
      const [path = ""] = Object.keys(files);
      const changed = { ...files, [path]: formatMail(1).replace("Body of mail 1", "Text of mail 1") };
      expect(await importArchive(changed)).toMatchObject({ read: 3, isRecalled: false });
    }));
});
