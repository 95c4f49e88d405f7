import { createClient } from "@pdpp/contract/client";
import type { JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import type { Input, ReadApi } from "@pdpp/contract/operations";
import type { FieldWindow } from "@pdpp/contract/wire";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample, now, origin, putRecords, type Sample } from "@pdpp/test-support/vaults/sample";
import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addConnection } from "#server/owner/connections";
import { pruneRecords } from "#server/owner/records";
import { sql } from "#server/store/engine/sql";
import { writeZip } from "../../importers/archives/zip-writer.ts";
import { writeManyPages, writePdf } from "../../importers/documents/pdf-writer.ts";

type Selector = Omit<Input<"readField">, "stream" | "record_id" | "field">;

const manifest: JsonObject = {
  connector_key: "papers",
  version: "1",
  streams: [
    {
      name: "papers",
      semantics: "mutable_state",
      primary_key: ["id"],
      selection: { fields: true, resources: true },
      schema: {
        type: "object",
        required: ["id"],
        properties: {
          id: { type: "string" },
          scan: { type: ["object", "null"], x_pdpp_type: "blob" },
          attachments: { type: "array", x_pdpp_type: "blob" },
          note: { type: ["object", "string"] },
        },
      },
    },
  ],
};

const docxType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
const buildDocx = (body: string): Buffer<ArrayBuffer> =>
  Buffer.from(writeZip([{ name: "word/document.xml", content: `<w:document><w:body>${body}</w:body></w:document>` }]));

const astral = "👩‍👩‍👧‍👦 e\u0301 🇩🇪 नमस्ते \r\n 𝄞 ";
const story = `${astral.repeat(3000)}the bridge at Barhöft${astral.repeat(100)}`;
const long = `${"𝄞 All work and no play. ü\n".repeat(chooseRuns(12_000, 90_000))}the very last`;
const base64 = Buffer.from(Array.from({ length: 3000 }, (_, i) => (i * 7919) & 255)).toString("base64");

describe.each(surfaceEngines)("the text of blobs on %s", (engine) => {
  let vault: TestVault;
  let world: Sample;
  let token: string;
  let client: ReadApi;

  const issueGrant = (stream: object = {}): Promise<string> =>
    world.grant({
      client: { name: "reader" },
      sources: [{ connector_key: "papers", streams: [{ name: "papers", ...stream }] }],
    });
  const createClientFor = (as: string): ReadApi =>
    createClient({ url: origin, token: as, fetch: (url, init) => world.call(as, String(url), init as RequestInit) });
  const storeBlob = async (body: string | Uint8Array<ArrayBuffer>, type: string): Promise<JsonObject> => {
    const response = await world.call(world.ownerToken, `/v1/blobs?mime_type=${encodeURIComponent(type)}`, {
      method: "POST",
      body,
    });
    const { object: _, ...reference } = (await response.json()) as JsonObject;
    return reference;
  };
  const write = (data: JsonObject, connection = "papers_1") => putRecords(vault, connection, "papers", [{ data }]);
  const read = (id: string, field = "scan{text}", selector: Selector = {}, as = client): Promise<FieldWindow> =>
    as.readField({ stream: "papers", record_id: id, connection_id: "papers_1", field, ...selector });
  const readFault = (id: string, field = "scan{text}", selector: Selector = {}, as = client) =>
    read(id, field, selector, as).then(
      ({ window }) => ({ code: "none", message: window.text }),
      ({ code, message }: { code: string; message: string }) => ({ code, message }),
    );
  const readText = async (body: string | Uint8Array<ArrayBuffer>, type: string, id = "one"): Promise<string> => {
    await write({ id, scan: await storeBlob(body, type) });
    return (await read(id)).window.text;
  };

  beforeAll(async () => {
    vault = await createVault(engine);
    world = await createSample(vault);
    await vault.store.register(parseManifest(manifest), now);
    for (const id of ["papers_1", "papers_2"]) await addConnection(vault.store, 1, { connectorKey: "papers", id }, now);
    token = await issueGrant();
    client = createClientFor(token);
  });
  afterAll(() => vault.drop());

  it("[WIN-6] [BIG-2] returns plain text with its type, and leaves the reference readable", async () => {
    const reference = await storeBlob("Dear Ada", "text/plain; charset=utf-8");
    await write({
      id: "plain",
      scan: reference,
      attachments: [reference, await storeBlob('{"a": 1}', "application/json")],
    });
    const found = await read("plain");
    expect(found).toMatchObject({
      record_version: "1",
      field: {
        path: "scan{text}",
        type: "string",
        blob_id: reference.blob_id,
        media_type: "text/plain; charset=utf-8",
      },
      window: { text: "Dear Ada", total_chars: 8, complete: true },
    });
    expect(found.field).not.toHaveProperty("reduced");
    expect(JSON.parse((await read("plain", "scan")).window.text)).toEqual(reference);
    const listed = await read("plain", "attachments[1]{text}");
    expect([listed.field.path, listed.window.text]).toEqual(["attachments[1]{text}", '{"a": 1}']);
    expect((await read("plain", "scan.mime_type")).window.text).toBe("text/plain; charset=utf-8");
  });

  it("[EVI-1] links from a card to the text", async () => {
    await write({
      id: "card",
      attachments: [await storeBlob("x", "image/png"), await storeBlob("the words", "text/csv")],
    });
    const { fields }: { fields: { references?: { text?: { url: string } }[] }[] } = await world.json(
      token,
      "/v1/streams/papers/records/card?connection_id=papers_1&view=evidence",
    );
    const [picture, words] = fields.flatMap(({ references }) => references ?? []);
    expect(picture).not.toHaveProperty("text");
    const found: FieldWindow = await world.json(token, words!.text!.url);
    expect([found.field.path, found.window.text]).toEqual(["attachments[1]{text}", "the words"]);
  });

  it("[WIN-6] reduces HTML to its text, and says so", async () => {
    const page = "<title>no</title><h1>Ferry</h1><p>at&nbsp;nine &amp; <b>ten</b><script>no()</script>";
    expect(await readText(page, "text/html", "html")).toBe("Ferry\n\nat\u00a0nine & ten");
    expect((await read("html")).field).toMatchObject({ media_type: "text/html", reduced: true });
    const latin = Buffer.from('<meta charset="iso-8859-1"><p>Barh\xf6ft', "latin1");
    expect(await readText(latin, "text/html")).toBe("Barhöft");
    await write({ id: "big", scan: await storeBlob(new Uint8Array(16 * 1024 ** 2 + 1).fill(32), "text/html") });
    expect(await readFault("big")).toMatchObject({
      code: "resource_limit",
      message: expect.stringContaining("bytes; the limit is 16777216"),
    });
  });

  it("[BIG-7] extracts text from PDF and DOCX, in windows and by words", async () => {
    const pages = Array.from({ length: 40 }, (_, n) => `Page ${n + 1} of the offer\nThe boiler costs ${n} euros.`);
    await write({ id: "offer", attachments: [await storeBlob(Buffer.from(writePdf(pages)), "application/pdf")] });
    const field = "attachments[0]{text}";
    const first = await read("offer", field, { limit_chars: 300 });
    expect(first.field).toMatchObject({ path: field, media_type: "application/pdf", reduced: true });
    expect(first.window.text).toMatch(/^Page 1 of the offer\nThe boiler costs 0 euros\.\n\nPage 2/);
    let text = first.window.text;
    for (let next = first.next; next !== null; ) {
      const window: FieldWindow = await world.json(token, next.url);
      text += window.window.text;
      next = window.next;
    }
    expect(text).toBe(pages.join("\n\n"));
    expect((await read("offer", field, { q: "costs 31 euros" })).window.text).toContain("Page 32 of the offer");
    const letter = buildDocx("<w:p><w:r><w:t>Dear Ada, the lease ends in May.</w:t></w:r></w:p>");
    expect(await readText(letter, docxType, "letter")).toBe("Dear Ada, the lease ends in May.");
    const { fields }: { fields: { references?: { text?: { url: string } }[] }[] } = await world.json(
      token,
      "/v1/streams/papers/records/letter?connection_id=papers_1&view=evidence",
    );
    const [reference] = fields.flatMap(({ references }) => references ?? []);
    expect((await world.json<FieldWindow>(token, reference!.text!.url)).window.text).toContain("the lease ends");
  });

  // The parsers are the same on both engines, and the worst of these files take them seconds.
  if (engine === "sqlite")
    it("[BIG-9] finds no readable text in a hostile or empty document, and gives the reason", async () => {
      const buildParagraph = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
      const zeros = Buffer.alloc(80_000_000, "0");
      const hostile: readonly (readonly [Uint8Array<ArrayBuffer>, string, RegExp])[] = [
        [Buffer.from(writePdf(["a secret"], { encrypted: true })), "application/pdf", /it is encrypted/],
        [Buffer.from(writePdf(["never read"]).subarray(0, 60)), "application/pdf", /its text could not be extracted/],
        [
          Buffer.from(writePdf([""], { drawing: Buffer.from("q 1 0 0 1 0 0 cm Q") })),
          "application/pdf",
          /it contains no text/,
        ],
        [Buffer.from("\x89PNG", "latin1"), "application/pdf", /its text could not be extracted/],
        [Buffer.from(writePdf(["a PDF"])), docxType, /its text could not be extracted/],
        [new Uint8Array(0), "application/pdf", /its text could not be extracted/],
        [
          Buffer.from(writeZip([{ name: "word/document.xml", content: zeros }])),
          docxType,
          /unpacks to more than a real document/,
        ],
        [new Uint8Array(20 * 1024 ** 2 + 1), "application/pdf", /the document has \d+ bytes; the limit is 20971520/],
        [new Uint8Array(50 * 1024 ** 2).fill(32), "text/html", /the HTML has \d+ bytes; the limit is/],
      ];
      for (const [body, type, why] of hostile) {
        await write({ id: "hostile", scan: await storeBlob(body, type) });
        for (let times = 0; times < 2; times += 1) {
          const { code, message } = await readFault("hostile");
          expect(["field_not_text", "resource_limit"]).toContain(code);
          expect(message).toMatch(/has no readable text: /);
          expect(message).toMatch(why);
          expect(message).toContain("its bytes: GET /v1/blobs/");
        }
      }
      const long = buildDocx(buildParagraph("boiler ".repeat(200_000)));
      await write({ id: "long", scan: await storeBlob(long, docxType) });
      const found = await read("long");
      expect(found.window.total_chars).toBe(1_000_000);
      expect(found.meta.warnings).toEqual([
        { code: "partial_results", message: "the document is longer: its first 1000000 characters are read as text" },
      ]);
      const pages = writeManyPages(chooseRuns(10_000, 100_000));
      await write({ id: "pages", scan: await storeBlob(pages, "application/pdf") });
      expect(await readFault("pages")).toMatchObject({
        message: expect.stringMatching(/Page of many|has no readable text/),
      });
    });

  it("[BIG-2] decodes characters as declared and never replaces invalid ones", async () => {
    const utf16 = Buffer.from(`\ufeff${astral}`, "utf16le");
    expect(await readText(utf16, "text/plain")).toBe(astral);
    expect(await readText(Buffer.from(utf16).swap16(), "text/plain; charset=x")).toBe(astral);
    expect(await readText(Buffer.from("\ufeff\ufeffa"), "text/plain")).toBe("\ufeffa");
    expect(await readText(Buffer.from("Stra\xdfe", "latin1"), "text/plain; charset=latin1")).toBe("Straße");
    expect(await readText("", "text/plain")).toBe("");
    for (const [body, type, why] of [
      [Buffer.from("Gr\xfc\xdfe", "latin1"), "text/plain", "it is not valid utf-8"],
      [Buffer.from("Gr\xfc\xdfe!", "latin1"), "text/plain; charset=utf-8", "it is not valid utf-8"],
      [Buffer.from("a\0b"), "text/plain", "zero bytes"],
      [Buffer.from("abc"), "text/plain; charset=utf-7", "charset is unknown"],
      [Buffer.concat([Buffer.from(long), Buffer.from([0xff])]), "text/plain", "it is not valid utf-8"],
    ] as const) {
      await write({ id: "bad", scan: await storeBlob(body, type) });
      expect(await readFault("bad")).toMatchObject({ code: "field_not_text", message: expect.stringContaining(why) });
    }
  });

  it("[BIG-1] [BIG-2] names a file that is not text, with its size and where its bytes are", async () => {
    const reference = await storeBlob(Buffer.from("\x89PNG"), "image/png");
    await write({ id: "image", scan: reference });
    const { code, message } = await readFault("image");
    expect(code).toBe("field_not_text");
    for (const part of ['"image/png"', "of 5 bytes", `GET /v1/blobs/${reference.blob_id}?connection_id=papers_1`])
      expect(message).toContain(part);
  });

  it("[AUT-3] [AUT-4] [BIG-3] serves text only through a record that refers to it in a granted field", async () => {
    const reference = await storeBlob("another's words", "text/plain");
    await write({ id: "owns", scan: reference });
    await write({ id: "claims", note: reference, scan: null, attachments: [{ inner: reference }] });
    expect(await readFault("claims")).toMatchObject({ code: "field_not_found" });
    expect(await readFault("claims", "note{text}")).toMatchObject({ code: "invalid_field_path" });
    expect(await readFault("claims", "attachments[0].inner{text}")).toMatchObject({ code: "blob_not_found" });
    expect(await readFault("owns", "nothing{text}")).toMatchObject({ code: "unknown_field" });
    expect(await readFault("owns", "scan{text}.a")).toMatchObject({ code: "invalid_field_path" });
    expect(await readFault("gone")).toMatchObject({ code: "not_found" });
    await write({ id: "dangling", scan: { blob_id: `blob_sha256_${"0".repeat(64)}`, mime_type: "text/plain" } });
    expect(await readFault("dangling")).toMatchObject({ code: "blob_not_found" });
    const withoutField = createClientFor(await issueGrant({ fields: ["id", "note"] }));
    expect(await readFault("owns", "scan{text}", {}, withoutField)).toMatchObject({ code: "field_not_granted" });
    const withoutRecord = createClientFor(await issueGrant({ resources: ["claims"] }));
    expect(await readFault("owns", "scan{text}", {}, withoutRecord)).toMatchObject({ code: "not_found" });
  });

  it("[AMB-1] asks which of two connections to read", async () => {
    for (const connection of ["papers_1", "papers_2"])
      await write({ id: "both", scan: await storeBlob(`of ${connection}`, "text/plain") }, connection);
    const input = { stream: "papers", record_id: "both", field: "scan{text}" };
    await expect(client.readField(input)).rejects.toMatchObject({ code: "ambiguous_connection" });
    const { window } = await client.readField({ ...input, connection_id: "papers_2" });
    expect(window.text).toBe("of papers_2");
  });

  it("[WIN-2] [WIN-3] [HND-7] tiles the text exactly with windows of any length, and finds the place of q", async () => {
    const utf16 = Buffer.from(`\ufeff${long}`, "utf16le");
    const texts = [
      ["story", story, story, 4096],
      ["long", long, long, 16384],
      ["wide", utf16, long, 16384],
    ] as const;
    for (const [id, body, text, limit] of texts) {
      await write({ id, scan: await storeBlob(body, "text/plain") });
      const total = Array.from(text).length;
      const windows = [await read(id, "scan{text}", { limit_chars: limit })];
      const most = id === "wide" ? 5 : Number.POSITIVE_INFINITY;
      for (let next = windows[0]!.next; next !== null && windows.length < most; next = windows.at(-1)!.next)
        windows.push(await world.json(token, next.url));
      const walked = windows.map(({ window }) => window.text).join("");
      expect(walked === (id === "wide" ? text.slice(0, walked.length) : text)).toBe(true);
      expect(windows.every(({ window }) => window.total_chars === total)).toBe(true);
      const back: FieldWindow = await world.json(token, windows[2]!.previous!.url);
      expect(back.window.end_chars).toBe(windows[2]!.window.start_chars);
      expect(back.window.text).toBe(Array.from(text).slice(back.window.start_chars, back.window.end_chars).join(""));
      const end = await read(id, "scan{text}", { offset_chars: total - 5 });
      expect(end.window.text).toBe(Array.from(text.slice(-20)).slice(-5).join(""));
      const q = id === "story" ? "bridge Barhöft" : "very last";
      const { window } = await read(id, "scan{text}", { q });
      const found = Array.from(text).slice(window.match_start_chars!, window.match_end_chars!).join("");
      expect(found).toBe(id === "story" ? "bridge at Barhöft" : "very last");
    }
    expect(await readFault("story", "scan{text}", { q: "submarine" })).toMatchObject({ code: "query_not_found" });
    const { window } = await read("story", "scan{text}", { limit_chars: 100 });
    const other = await readFault("story", "scan", { cursor: window.next_cursor! });
    expect(other).toMatchObject({ code: "invalid_cursor" });
  });

  it("[WIN-4] continues a walk while the record keeps the blob, and stops when it has another", async () => {
    const reference = await storeBlob(`first ${"words ".repeat(50)}`, "text/plain");
    await write({ id: "kept", scan: reference });
    const { window } = await read("kept", "scan{text}", { limit_chars: 10 });
    await write({ id: "kept", scan: reference, note: "changed" });
    const next = await read("kept", "scan{text}", { cursor: window.next_cursor! });
    expect([next.record_version, next.window.start_chars]).toEqual(["1", window.end_chars]);
    await write({ id: "kept", scan: await storeBlob("second", "text/plain") });
    expect(await readFault("kept", "scan{text}", { cursor: window.next_cursor! })).toMatchObject({
      code: "stale_window",
    });
    expect(await readFault("kept", "scan{text}", { version: "1" })).toMatchObject({ code: "stale_window" });
    expect((await read("kept")).window.text).toBe("second");
  });

  it("[BIG-4] returns text that looks like bytes when asked, but not on a card", async () => {
    expect(await readText(base64, "text/plain", "encoded")).toBe(base64.slice(0, 4096));
    const card = await world.json(token, "/v1/streams/papers/records/encoded?connection_id=papers_1&view=evidence");
    expect(JSON.stringify(card)).not.toContain(base64.slice(0, 64));
  });

  it("[BIG-8] extracts the text once, stores it with the bytes and deletes it with them", async () => {
    const words = `the secret of ${engine}`;
    await readText(Buffer.from(writePdf([words])), "application/pdf", "once");
    const { engine: tables, blobs } = vault.store;
    const listStored = () => tables.read((on) => on.all(sql`SELECT form, text FROM blob_text WHERE text = ${words}`));
    expect(await listStored()).toEqual([{ form: "pdf", text: words }]);
    // A second read does not need the bytes.
    const { scan } = (
      await world.json<{ data: { scan: { blob_id: string } } }>(
        token,
        "/v1/streams/papers/records/once?connection_id=papers_1",
      )
    ).data;
    await blobs.remove(1, scan.blob_id);
    expect((await read("once")).window.text).toBe(words);
    await putRecords(vault, "papers_1", "papers", [{ op: "delete", data: { id: "once" } }]);
    await pruneRecords(vault.store, 1, Date.now() + 1e9);
    expect(await listStored()).toEqual([]);
  });
});
