import type { RecordItem } from "@pdpp/importers/importer";
import { detect } from "@pdpp/importers/plan";
import { createVault } from "@pdpp/test-support/vaults/new-vault";
import { describe, expect, it } from "vitest";
import { defaultDocumentReader } from "#importers/documents/document-reader";
import { createMailImporter, mail } from "#importers/formats/mail/mail";
import { writeZip } from "../archives/zip-writer.ts";
import { answers, createMemoryTree, importTree, listRecords, openOwner } from "../support.ts";
import { writePdf } from "./pdf-writer.ts";

const docxType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
const buildAttachment = (name: string, bytes: Uint8Array, type = "application/octet-stream") => ({ name, bytes, type });

/** One mail with files. */
function buildMail(files: readonly ReturnType<typeof buildAttachment>[], id = "a"): string {
  const head = `Message-ID: <${id}@x.example>\r\nFrom: a@x.example\r\nDate: Fri, 1 Mar 2019 12:00:00 +0000\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n`;
  const parts = files.map(
    ({ name, bytes, type }) =>
      `--b\r\nContent-Type: ${type}; name="${name}"\r\nContent-Disposition: attachment\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(bytes).toString("base64")}\r\n`,
  );
  return `${head}${parts.join("")}--b--\r\n`;
}

async function read(text: string, importer = mail, said = answers): Promise<RecordItem[]> {
  const { claims } = await detect(createMemoryTree({ "a.eml": text }, 0, 60_000), [importer]);
  const found: RecordItem[] = [];
  for (const { claim } of claims) {
    for await (const item of importer.read(claim, said)) if (item.kind === "record") found.push(item);
  }
  return found;
}

const listAttachments = (items: readonly RecordItem[]) =>
  items.filter(({ stream }) => stream === "attachments").map(({ data }) => data);

/** A word processor's document whose body is this. */
const buildDocx = (body: string, notes = ""): Buffer =>
  writeZip([
    { name: "[Content_Types].xml", content: "<Types/>" },
    { name: "word/document.xml", content: `<?xml version="1.0"?><w:document><w:body>${body}</w:body></w:document>` },
    ...(notes === "" ? [] : [{ name: "word/footnotes.xml", content: `<w:footnotes>${notes}</w:footnotes>` }]),
  ]);
const buildParagraph = (text: string): string => `<w:p><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;

describe("[IMP-20] documents attached to a mail", () => {
  it("have their text extracted: PDF page by page, DOCX with its notes", async () => {
    const letter = buildDocx(
      `${buildParagraph("Boiler &amp; gutter ")}<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:delText>gone</w:delText></w:r></w:p>` +
        `<mc:AlternateContent><mc:Choice>${buildParagraph("box")}</mc:Choice><mc:Fallback>${buildParagraph("box")}</mc:Fallback></mc:AlternateContent>`,
      buildParagraph("a note"),
    );
    const files = listAttachments(
      await read(
        buildMail([
          buildAttachment("offer.pdf", writePdf(["The boiler is old.\nIt leaks.", "Page two"]), "application/pdf"),
          buildAttachment("letter.docx", letter, docxType),
          buildAttachment("unnamed", writePdf(["known by its type"]), "application/x-pdf"),
        ]),
      ),
    );
    expect(files.map(({ text, text_from, note }) => [text, text_from, note])).toEqual([
      ["The boiler is old.\nIt leaks.\n\nPage two", "pdf", null],
      ["Boiler & gutter \na\tb\n\nbox\na note", "docx", null],
      ["known by its type", "pdf", null],
    ]);
  });

  it("have a note if there is no text: encrypted, truncated, scanned, or not a document", async () => {
    const whole = writePdf(["never read"]);
    const files = listAttachments(
      await read(
        buildMail([
          buildAttachment("locked.pdf", writePdf(["a secret"], { encrypted: true })),
          buildAttachment("cut.pdf", whole.subarray(0, 60)),
          buildAttachment("scan.pdf", writePdf([""], { drawing: Buffer.from("q 1 0 0 1 0 0 cm Q") })),
          buildAttachment("empty.pdf", new Uint8Array()),
          buildAttachment("other.docx", Buffer.from("no archive")),
          buildAttachment("hollow.docx", writeZip([{ name: "word/styles.xml", content: "<w:styles/>" }])),
          buildAttachment("cut.docx", buildDocx(buildParagraph("x")).subarray(0, 100)),
          buildAttachment(
            "locked.docx",
            writeZip([{ name: "word/document.xml", content: "<w:t>x</w:t>", encrypted: true }]),
          ),
        ]),
      ),
    );
    expect(files.every(({ text, text_from }) => text === null && text_from === null)).toBe(true);
    expect(files.map(({ name, note }) => `${name}: ${note}`)).toEqual([
      expect.stringMatching(/^locked.pdf: .*encrypted/),
      expect.stringMatching(/^cut.pdf: its text could not be extracted: /),
      "scan.pdf: it contains no text",
      expect.stringMatching(/^empty.pdf: its text could not be extracted: /),
      expect.stringMatching(/^other.docx: its text could not be extracted: /),
      "hollow.docx: its text could not be extracted: it contains no document",
      expect.stringMatching(/^cut.docx: its text could not be extracted: /),
      expect.stringMatching(/^locked.docx: .*encrypted/),
    ]);
  });

  it("are bounded: a document that unpacks without end is rejected, and a long text is truncated", async () => {
    const zeros = Buffer.alloc(70 * 1024 * 1024, "<w:t>a</w:t>");
    const importer = createMailImporter({
      documents: { ...defaultDocumentReader, bounds: { ...defaultDocumentReader.bounds, maxMemoryMb: 160 } },
    });
    const files = listAttachments(
      await read(
        buildMail([
          buildAttachment("bomb.docx", writeZip([{ name: "word/document.xml", content: zeros }])),
          buildAttachment("liar.docx", writeZip([{ name: "word/document.xml", content: zeros, saidSize: 2000 }])),
          buildAttachment("long.docx", buildDocx(buildParagraph("boiler ".repeat(200_000)))),
          buildAttachment("bomb.pdf", writePdf([""], { drawing: Buffer.alloc(100_000_000, " ") })),
          buildAttachment("after.pdf", writePdf(["still read"])),
        ]),
        importer,
      ),
    );
    expect(files.map(({ name, note }) => `${name}: ${note}`)).toEqual([
      "bomb.docx: its text could not be extracted: it unpacks to more than a real document",
      expect.stringMatching(/^liar.docx: its text could not be extracted: /),
      "long.docx: null",
      "bomb.pdf: its text could not be extracted: parsing needs more than 160 MB",
      "after.pdf: null",
    ]);
    expect(files[2]).toMatchObject({ text_truncated: true, text_from: "docx" });
    expect(String(files[2]?.text).length).toBe(1_000_000);
    expect(files[4]).toMatchObject({ text: "still read", text_truncated: false });
  });
});

const createFaultyImporter = (taskMs = 300) =>
  createMailImporter({
    documents: {
      module: new URL("./faulty-worker.ts", import.meta.url),
      bounds: { maxTaskMs: taskMs, maxHeapMb: 32, maxMemoryMb: 300 },
    },
  });

describe("[IMP-21] a third-party parser", () => {
  const formatReason = (reason: string) => `its text could not be extracted: ${reason}`;
  const readTexts = async (said: readonly string[], importer: ReturnType<typeof createFaultyImporter>) =>
    listAttachments(
      await read(buildMail(said.map((each) => buildAttachment(`${each}.pdf`, Buffer.from(each)))), importer),
    ).map(({ text, note }) => text ?? note);

  it("is terminated if it hangs, waits or crashes, and the next document gets a new one", async () => {
    expect(await readTexts(["hang", "fine", "wait", "crash", "fine", "exit", "fine"], createFaultyImporter())).toEqual([
      formatReason("parsing takes longer than 0.3 s"),
      "read: fine",
      formatReason("parsing takes longer than 0.3 s"),
      formatReason("the parser crashed: it fell over"),
      "read: fine",
      formatReason("the parser exited unexpectedly (code 3)"),
      "read: fine",
    ]);
  });

  it("is terminated if it exhausts memory, whether with objects or with buffers", async () => {
    const memory = formatReason("parsing needs more than 300 MB");
    expect(await readTexts(["objects", "bytes", "fine"], createFaultyImporter(300_000))).toEqual([
      memory,
      memory,
      "read: fine",
    ]);
  });

  it("does not lose the file: its bytes are stored, with the reason why there is no text", async () => {
    const vault = await createVault("sqlite");
    try {
      const owner = await openOwner(vault, () => 0);
      const tree = createMemoryTree({ "a.eml": buildMail([buildAttachment("hang.pdf", Buffer.from("hang"))]) }, 0);
      await importTree(owner, tree, { importers: [createFaultyImporter()] });
      const [stored] = (await listRecords(owner)).filter(({ stream }) => stream === "attachments");
      expect(stored?.data).toMatchObject({
        text: null,
        note: "its text could not be extracted: parsing takes longer than 0.3 s",
        blob_ref: { size_bytes: 4 },
      });
    } finally {
      await vault.drop();
    }
  });

  it("rejects only the mail it fails on, and reads the mails around it", async () => {
    const importer = createMailImporter({
      mails: {
        module: new URL("./faulty-mail-worker.ts", import.meta.url),
        bounds: { maxTaskMs: 1000, maxHeapMb: 32, maxMemoryMb: 300 },
      },
    });
    const box = ["one", "hang", "three"]
      .map(
        (said) => `From a Tue Jan  1 10:00:00 2019\nMessage-ID: <${said}@x.example>\nFrom: a@x.example\n\n${said}\n\n`,
      )
      .join("");
    const { claims } = await detect(createMemoryTree({ "a.mbox": box }, 0), [importer]);
    const seen: string[] = [];
    for (const { claim } of claims) {
      for await (const item of importer.read(claim, answers)) {
        if (item.kind === "record") seen.push(String(item.data.id));
        if (item.kind === "rejected") seen.push(`${item.code} at ${item.offset}: ${item.raw.length} bytes`);
      }
    }
    expect(seen).toEqual(["one@x.example", expect.stringMatching(/^too_slow at \d+: \d+ bytes$/), "three@x.example"]);
  });

  it("does not delay a reader that stops early", async () => {
    const importer = createFaultyImporter(3_600_000);
    const filler = buildAttachment("filler.bin", Buffer.alloc(70_000));
    const mails = [
      buildMail([filler], "one"),
      buildMail([filler, buildAttachment("hang.pdf", Buffer.from("hang"))], "two"),
    ];
    const box = mails.map((each) => `From a Tue Jan  1 10:00:00 2019\r\n${each}\r\n`).join("");
    const { claims } = await detect(createMemoryTree({ "a.mbox": box }, 0, 60_000), [importer]);
    for (const { claim } of claims)
      for await (const item of importer.read(claim, answers)) if (item.kind === "mark") break;
  });
});
