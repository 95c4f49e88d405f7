import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Item, RecordItem } from "@pdpp/importers/importer";
import { detect } from "@pdpp/importers/plan";
import { type CliVault, createCliVault } from "@pdpp/test-support/cli/cli-vault";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formats } from "#importers/formats/formats";
import { extractRtfText } from "#importers/formats/outlook/rtf-text";
import { openTree } from "#importers/tree/open-tree";
import { type PstFolder, type PstMail, property, writePst } from "../../generators/outlook/pst-file.ts";

const headers = (id: string, more = ""): string =>
  `Message-ID: <${id}@example.org>\r\nDate: Thu, 1 Jan 2026 10:00:00 +0000\r\nFrom: Ada <ada@example.org>\r\nTo: Ben <ben@example.org>\r\nSubject: Boiler\r\n${more}`;
const note = (more: PstMail["properties"]): PstMail["properties"] => ({ [property.class]: "IPM.Note", ...more });
const plain = (id: string): PstMail => ({
  properties: note({ [property.headers]: headers(id), [property.body]: `Text of ${id}` }),
});

describe("Outlook data files", () => {
  const folder = mkdtempSync(join(tmpdir(), "pdpp-outlook-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function readPst(content: Buffer | string): Promise<Item[]> {
    const path = typeof content === "string" ? content : join(folder, "test.pst");
    if (typeof content !== "string") writeFileSync(path, content);
    const tree = await openTree([path]);
    const items: Item[] = [];
    const { claims } = await detect(tree, formats);
    for (const { importer, claim } of claims) {
      expect(importer.key).toBe("outlook");
      for await (const item of importer.read(claim, { attachments: true })) items.push(item);
    }
    await tree.close();
    return items;
  }
  const listRecords = (items: readonly Item[], stream: string) =>
    items
      .filter((item): item is RecordItem => item.kind === "record" && item.stream === stream)
      .map(({ data }) => data);
  const inFolder = (...mails: PstMail[]): PstFolder[] => [{ name: "Inbox", mails }];

  it("[IMP-38] keeps headers, HTML, files, attached mails and recipients", async () => {
    const forwarded: PstMail = {
      properties: note({ [property.headers]: headers("inner"), [property.body]: "The boiler is cold" }),
    };
    const items = await readPst(
      writePst(
        inFolder(
          {
            properties: note({
              [property.headers]: headers(
                "outer",
                "In-Reply-To: <before@example.org>\r\nReferences: <root@example.org>\r\n <before@example.org>\r\nContent-Type: text/html;\r\n charset=utf-8\r\n",
              ),
              [property.html]: Buffer.from(`<p>Grüße ${"x".repeat(9000)}</p>`),
            }),
            attachments: [
              {
                name: "Größe.txt",
                type: "text/plain",
                content: Buffer.from("sum 12".repeat(4000)),
                contentId: "pic@1",
              },
              { name: "fwd", type: "", content: forwarded },
            ],
          },
          {
            properties: note({
              [property.subject]: "\u0001\u0005Re: Größe",
              [property.senderName]: "Zoë",
              [property.senderType]: "EX",
              [property.senderAddress]: "/O=ORG/CN=ZOE",
              [property.submitted]: new Date("2026-01-02T03:04:05Z"),
              [property.messageId]: "<sent@example.org>",
              [property.body]: "Sent by me\r\nFrom Outlook",
            }),
            recipients: [
              { type: 1, name: "Ada, Lovelace", address: "ada@example.org" },
              { type: 3, name: "", address: "secret@example.org" },
            ],
          },
        ),
      ),
    );
    const [outer, sent] = listRecords(items, "messages");
    expect(outer).toMatchObject({
      id: "outer@example.org",
      thread_id: "root@example.org",
      in_reply_to_id: "before@example.org",
      from_address: "ada@example.org",
      to: ["Ben <ben@example.org>"],
      body_from: "html",
      sent_at: "2026-01-01T10:00:00.000Z",
      attachments: ["Größe.txt", "mail-2.eml"],
    });
    expect(String(outer?.body_text)).toContain("Grüße");
    expect(sent).toMatchObject({
      id: "sent@example.org",
      subject: "Re: Größe",
      from_name: "Zoë",
      from_address: null,
      to: ["Ada, Lovelace <ada@example.org>"],
      bcc: ["secret@example.org"],
      body_text: "Sent by me\nFrom Outlook",
      sent_at: "2026-01-02T03:04:05.000Z",
    });
    expect(listRecords(items, "attachments")).toMatchObject([
      {
        id: "outer@example.org/1",
        name: "Größe.txt",
        size_bytes: 24_000,
        content_id: "pic@1",
        mime_type: "text/plain",
      },
      { id: "outer@example.org/2", mime_type: "message/rfc822", text: expect.stringContaining("The boiler is cold") },
    ]);
  });

  it("[IMP-40] says which mails were read, answered or forwarded, and which are drafts", async () => {
    const mail = (id: string, flags: number, lastVerb: number): PstMail => ({
      properties: { ...plain(id).properties, [property.flags]: flags, [property.lastVerb]: lastVerb },
    });
    const items = await readPst(
      writePst(inFolder(mail("one", 1, 103), mail("two", 1, 104), mail("three", 8, 0), plain("four"))),
    );
    expect(listRecords(items, "messages").map(({ flags }) => flags)).toEqual([
      ["answered", "seen"],
      ["forwarded", "seen"],
      ["draft"],
      [],
    ]);
  });

  it("[IMP-39] says what is missing, and how to get it", async () => {
    const items = await readPst(
      writePst([
        {
          name: "Inbox",
          mails: [plain("one"), { ...plain("broken"), isBroken: true }, plain("two")],
          count: 1_000_000_000,
          folders: [{ name: "Old", mails: [plain("three")] }],
        },
        { name: "Contacts", mails: [{ properties: { [property.class]: "IPM.Contact" } }] },
      ]),
    );
    expect(listRecords(items, "messages").map(({ id }) => id)).toEqual([
      "one@example.org",
      "two@example.org",
      "three@example.org",
    ]);
    expect(items.filter(({ kind }) => kind === "skipped")).toHaveLength(1);
    const rejected = items.filter((item) => item.kind === "rejected");
    expect(rejected.map(({ code }) => code)).toEqual(["malformed", "lost_items"]);
    expect(rejected.at(-1)?.reason).toMatch(/^Inbox has 1000000000 items, but only 3 could be found\. Try readpst/);
    const cut = await readPst(writePst(inFolder(plain("one"))).subarray(0, 2000));
    expect(cut).toMatchObject([
      { kind: "rejected", code: "malformed", reason: expect.stringContaining("readpst") },
      { kind: "mark" },
    ]);
  });

  /** Comes with the library. `readpst` finds 71 mails in it, too. */
  const sample = join(
    dirname(createRequire(import.meta.url).resolve("pst-extractor/package.json")),
    "example/testdata/enron.pst",
  );
  it.skipIf(!existsSync(sample))(
    "[IMP-39] finds every mail of a real file (skipped if pst-extractor has no test data)",
    async () => {
      const items = await readPst(sample);
      expect(items.filter(({ kind }) => kind === "rejected")).toEqual([]);
      const messages = listRecords(items, "messages");
      expect(messages).toHaveLength(71);
      expect(new Set(messages.map(({ id }) => id)).size).toBe(71);
      // Their Date headers are broken; Outlook has the time as well.
      expect(messages.filter(({ sent_at }) => sent_at === null)).toEqual([]);
    },
  );

  it("[IMP-38] reads the text of mails that have only RTF", () => {
    const rtf = String.raw`{\rtf1\ansi{\fonttbl{\f0 Arial;}}{\*\generator x;}\f0 Gr\'fc\'dfe\par from \u8364? {\b bold}\tab \{x\}}`;
    expect(extractRtfText(rtf)).toBe("Grüße\nfrom € bold\t{x}");
    expect(extractRtfText("plain")).toBe("");
  });
});

describe("[IMP-38] the same mails from Outlook and from a mailbox", () => {
  let vault: CliVault;
  beforeAll(() => {
    vault = createCliVault({ isInProcess: true });
  });
  afterAll(() => vault.drop());

  it("are stored once, in one connection", async () => {
    const mbox = `From x Thu Jan  1 00:00:00 2026\n${headers("one").replaceAll("\r\n", "\n")}\nText of one\n\n`;
    await vault.json(["import", vault.file("mail.mbox", mbox), "--yes"]);
    const pst = vault.file("outlook.pst", writePst([{ name: "Inbox", mails: [plain("one"), plain("two")] }]));
    const { report } = await vault.json<{ report: object[] }>(["import", pst, "--yes"]);
    expect(report).toMatchObject([
      {
        connection_id: "mail-files",
        connector_key: "mail-files",
        // One of them is in the mailbox file, which does not say whether it was read.
        streams: [{ stream: "messages", stored: 1, changed: 1, unchanged: 0 }],
      },
    ]);
    const again = await vault.json<{ report: object[] }>(["import", pst, "--yes", "--again"]);
    expect(again.report).toMatchObject([{ streams: [{ stored: 0, changed: 0, unchanged: 2 }] }]);
    expect((await vault.json<{ data: object[] }>(["connection", "list"])).data).toHaveLength(1);
  });
});
