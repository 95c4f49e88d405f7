import type { Json, JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { now, putRecords } from "@pdpp/test-support/vaults/sample";
import { findElement, findElements, getAttribute, getText, hasTag, parseDocument } from "@pdpp/test-support/web/dom";
import { findLink, signInOwner, site } from "@pdpp/test-support/web/owner-pages";
import type { Person } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addConnection } from "#server/owner/connections";
import { createOwner } from "#server/owner/owner";
import { stage } from "../oauth/agent.ts";

const text = { type: "string" };
const manyNames = Array.from({ length: 40 }, (_, i) => `part ${i}`);

const manifest: JsonObject = {
  connector_key: "odd",
  version: "1",
  display_name: "Odd",
  streams: [
    {
      name: "things",
      semantics: "mutable_state",
      primary_key: ["id"],
      schema: {
        type: "object",
        required: ["id"],
        properties: {
          id: text,
          body: { ...text, x_pdpp_role: "body" },
          line: text,
          size: { type: "number" },
          packed: { ...text, contentEncoding: "base64" },
          files: { x_pdpp_type: "blob" },
          tree: {},
          " blank": text,
          ...Object.fromEntries(manyNames.map((name) => [name, text])),
        },
      },
    },
  ],
};

const lines = "one\r\ntwo\rthree\n";

describe.each(surfaceEngines)("record values, on %s", (engine) => {
  let vault: TestVault;
  let owner: Person;
  const openOwner = () => createOwner({ store: vault.store, ownerNo: 1, now: Date.now });
  beforeAll(async () => {
    vault = await createVault(engine);
    await vault.store.register(parseManifest(manifest), now);
    for (const id of ["a", "b"]) await addConnection(vault.store, 1, { connectorKey: "odd", id }, now);
    owner = await signInOwner(stage(vault));
  });
  afterAll(() => vault.drop());
  const storeRecord = async (id: string, data: Record<string, Json>) =>
    putRecords(vault, "a", "things", [{ data: { id, ...data } }]);
  const open = async (id: string, base = "") => {
    const page = await owner.open(`${site}${base}/record?id=${encodeURIComponent(`a/things:${id}`)}`);
    expect([id, page.status]).toEqual([id, 200]);
    return { ...page, document: parseDocument(page.html) };
  };
  const findValue = ({ document }: Awaited<ReturnType<typeof open>>, label: string) => {
    const rows = findElements(document, hasTag("dt")).filter((each) => getText(each) === label);
    const row = rows[0]?.parentNode;
    return row == null ? undefined : findElement(row, hasTag("dd"));
  };

  it("[CSL-72] keep carriage returns, in tables and in long texts", async () => {
    await storeRecord("lines", { body: lines, line: lines });
    const page = await open("lines");
    expect(getText(findElement(page.document, hasTag("div", "prose")) ?? page.document)).toBe(lines);
    const line = findValue(page, "Line");
    expect(line && getText(line)).toBe(lines);
    const text = await owner.open(`${site}/text?id=a%2Fthings%3Alines&field=body`);
    const shown = findElement(parseDocument(text.html), (each) => getAttribute(each, "data-window") !== undefined);
    expect(shown && getText(shown)).toBe(lines);
  });

  it("[CSL-72] show rounded numbers with the exact value", async () => {
    await storeRecord("number", { size: 0.123456789 });
    const cell = findValue(await open("number"), "Size");
    const exact = cell && findElement(cell, hasTag("data"));
    expect(exact && [getText(exact), getAttribute(exact, "value")]).toEqual(["0.123457", "0.123456789"]);
    await storeRecord("number", { size: 1234.5 });
    const plain = findValue(await open("number"), "Size");
    expect(plain && [getText(plain), findElement(plain, hasTag("data"))]).toEqual(["1,234.5", undefined]);
  });

  it("[CSL-72] link to the raw text of encoded data", async () => {
    const packed = Buffer.alloc(3000, 7).toString("base64");
    await storeRecord("packed", { packed });
    const text = await owner.open(findLink(await open("packed"), "Show raw"));
    const shown = findElement(parseDocument(text.html), (each) => getAttribute(each, "data-window") !== undefined);
    expect(shown && getText(shown)).toBe(packed);
  });

  it("[CSL-72] link the text of each file, and the raw file data", async () => {
    const files: JsonObject[] = [];
    for (const said of ["first file", "second file"]) {
      async function* buildBytes() {
        yield Buffer.from(said);
      }
      const { blob_id } = await openOwner().blobs.put({ mime_type: "text/plain" }, buildBytes());
      files.push({ blob_id, mime_type: "text/plain", file_name: `${said}.txt` });
    }
    await storeRecord("files", { files });
    const page = await open("files");
    const links = findElements(page.document, hasTag("a")).filter((each) => getText(each) === "Read text");
    const texts: string[] = [];
    for (const link of links)
      texts.push((await owner.open(new URL(getAttribute(link, "href") ?? "", page.url).href)).html);
    expect(texts.map((html) => /(first|second) file/.exec(html)?.[0])).toEqual(["first file", "second file"]);
    const all = await owner.open(findLink(page, "Show raw file data"));
    expect(all.html).toContain("second file.txt");
  });

  it("[CSL-72] show all fields of a record with many, and no others", async () => {
    await storeRecord("many", Object.fromEntries(manyNames.slice(0, 39).map((name) => [name, `value of ${name}`])));
    const page = await open("many");
    for (const name of manyNames.slice(0, 39)) expect(page.html).toContain(`<bdi>value of ${name}</bdi>`);
    expect(page.html).not.toContain("Part 39");
    expect(page.html.match(/<bdi>Id<\/bdi>/g)).toHaveLength(1);
  });

  it("[CSL-72] link to texts whose name starts with a space", async () => {
    await storeRecord("blank", { " blank": "word ".repeat(2000) });
    const text = await owner.open(findLink(await open("blank"), "Continue reading"));
    expect(text.status).toBe(200);
  });

  it("[CSL-4] [CSL-72] link to records even if the only column is JSON", async () => {
    await storeRecord("tree", { tree: { a: 1 } });
    const { grants } = await openOwner().grants.issue({
      client: { name: "tree reader" },
      sources: [{ connector_key: "odd", streams: [{ name: "things", connection_ids: ["a"], fields: ["tree"] }] }],
    });
    const table = await owner.open(`${site}/as/${grants[0]?.grant_id}/stream?source=a&stream=things`);
    expect(table.html).toContain("record?id=a%2Fthings%3Atree");
  });

  it("[CSL-8] [CSL-72] are labelled per account when a package covers different fields", async () => {
    await storeRecord("both", { line: "said of a", size: 5 });
    await putRecords(vault, "b", "things", [{ data: { id: "both", line: "kept back", size: 77 } }]);
    const streams = (id: string, fields: string[]) => [{ name: "things", connection_ids: [id], fields }];
    const { package_id } = await openOwner().grants.issue({
      client: { name: "two accounts" },
      sources: [
        { connector_key: "odd", streams: streams("a", ["line"]) },
        { connector_key: "odd", streams: streams("b", ["size"]) },
      ],
    });
    const [a, b] = await Promise.all(
      ["a", "b"].map((id) => owner.open(`${site}/as/${package_id}/stream?source=${id}&stream=things`)),
    );
    expect(a?.html).toContain("said of a");
    expect(a?.html).not.toContain("<bdi>Size</bdi>");
    expect(b?.html).toContain(">77<");
    expect(b?.html).not.toMatch(/<bdi>Line<\/bdi>|kept back/);
  });

  it("[CSL-3] [CSL-72] show a version before a deletion, and describe the deletion", async () => {
    await storeRecord("gone", { line: "before" });
    await putRecords(vault, "a", "things", [{ key: "gone", op: "delete" }]);
    await storeRecord("gone", { line: "after" });
    const page = await open("gone");
    expect((await owner.open(findLink(page, "Version 1"))).html).toContain("<del>before</del>");
    const deleted = await owner.open(`${page.url}&version=2`);
    expect([deleted.status, /Version 2 was deleted/.test(deleted.html)]).toEqual([404, true]);
  });

  it("[CSL-72] [CSL-76] keep a record's page under 200 kB", async () => {
    const worst = '"'.repeat(20_000);
    await storeRecord("worst", {
      body: worst,
      line: worst,
      ...Object.fromEntries(manyNames.map((name) => [name, name < "part 2" ? worst : '"'.repeat(290)])),
    });
    const { grants } = await openOwner().grants.issue({
      client: { name: '"'.repeat(200) },
      sources: [{ connector_key: "odd", streams: [{ name: "things" }] }],
    });
    for (const base of ["", `/as/${grants[0]?.grant_id}`])
      expect(Buffer.byteLength((await open("worst", base)).html)).toBeLessThan(200_000);
  });
});
