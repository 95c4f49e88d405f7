import { parseManifest } from "@pdpp/contract/manifest";
import { createOwner } from "@pdpp/server/owner/owner";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { putRecords } from "@pdpp/test-support/vaults/sample";
import { findLink, readElementText, signInOwner, site } from "@pdpp/test-support/web/owner-pages";
import type { Person } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readPictureHeader } from "#importers/pictures/picture-header";
import { loadDemo } from "#server/demo/load-demo";
import { stage } from "../../oauth/agent.ts";

const text = (more: object = {}) => ({ type: ["string", "null"], ...more });

const papers = parseManifest({
  connector_key: "papers",
  version: "1",
  display_name: "Papers",
  streams: [
    {
      name: "pages",
      semantics: "mutable_state",
      primary_key: ["id"],
      selection: { fields: true, resources: true },
      presentation: { kind: "document", fields: { labels: "words", media_type: "kind" } },
      schema: {
        type: "object",
        required: ["id"],
        properties: {
          id: { type: "string" },
          name: text({ x_pdpp_type: "text", x_pdpp_role: "primary-title" }),
          kind: text({ x_pdpp_role: "secondary" }),
          content: text({ x_pdpp_type: "text", x_pdpp_role: "body" }),
          words: { type: "array", items: { type: "string" } },
          secret: text(),
        },
      },
      query: { search: { lexical_fields: ["content"] } },
    },
  ],
});

const hostile = [
  "# <script>hit()</script>",
  "[bad](javascript:hit) ![pixel](https://elsewhere.example/pixel.gif)",
  '<img src=x onerror="hit()"> <iframe src="https://elsewhere.example"></iframe>',
  "`</code></div>` and **lighthouse** at the end",
].join("\n\n");

describe.each(surfaceEngines)("documents, on %s", (engine) => {
  let vault: TestVault;
  let owner: Person;
  beforeAll(async () => {
    vault = await createVault(engine);
    await loadDemo(vault.store, Date.now());
    const api = createOwner({ store: vault.store, ownerNo: 1, now: Date.now });
    await api.connectors.register(papers);
    await api.connections.add({ connector_key: "papers", connection_id: "papers" });
    await putRecords(vault, "papers", "pages", [
      { data: { id: "hostile", name: "<b>Plan</b>\u202E", content: hostile, words: ["<i>tag</i>"], secret: "CANARY" } },
      { data: { id: "long", name: "Logbook", content: "The keeper wrote down the ships. ".repeat(1000) } },
      { data: { id: "empty", name: null, content: null, kind: "x".repeat(500) } },
    ]);
    owner = await signInOwner(stage(vault));
  });
  afterAll(() => vault.drop());
  const getUrl = (record: string, more = "", base = site) => `${base}/document?id=${encodeURIComponent(record)}${more}`;
  const open = (record: string, more = "", base = site) => owner.open(getUrl(record, more, base));

  it("[CSL-146] shows a picture with its kind, size and caption, and leads to its note", async () => {
    const page = await open("cin_notes_ada/attachments:nt_491c10988cdb_2");
    expect(readElementText(page, "h1")).toBe("manometer-0-4-bar.png");
    expect(page.html).toMatch(/<img src="thumbnail\?connection=cin_notes_ada&amp;blob=blob_sha256_64bc/);
    expect(page.html).toContain("<bdi>Picture, 5.6 kB</bdi>");
    expect(page.html).toContain("The gauge on Monday morning: 0.4 bar");
    expect(page.html).toContain("6 Oct 2026");
    expect(findLink(page, "Open")).toContain("show=1");
    expect(findLink(page, "Download")).toContain("blob=blob_sha256_64bc");
    const note = await owner.open(findLink(page, "Boiler (Calidor 20)"));
    expect(new URL(note.url).pathname).toBe("/document");
    const record = await owner.open(findLink(page, "Technical details"));
    expect(record.html).toContain("<summary>Technical details</summary>");
  });

  it("[CSL-146] shows a note as Markdown with its tags and attachments", async () => {
    const page = await open("cin_notes_ada/notes:nt_491c10988cdb");
    expect(readElementText(page, "h1")).toBe("Boiler (Calidor 20)");
    expect(page.html).toContain("<strong>October 2026</strong>");
    expect(page.html).toMatch(/class="tag"><bdi>warranty/);
    expect(page.html).toMatch(/<a class="chip" href="file\?[^>]*>.*Rechnung_R-2026-0117\.pdf.*PDF, 2\.2 kB/s);
    expect(page.html).toContain('alt="Picture: manometer-0-4-bar.png"');
    const table = await owner.open(`${site}/stream?source=cin_notes_ada&stream=notes`);
    expect(table.html).toContain('href="document?id=cin_notes_ada%2Fnotes%3A');
  });

  it("[CSL-146] [CSL-155] shows the text of a file beside its caption, and opens or downloads it", async () => {
    const { data } = await (await createOwner({ store: vault.store, ownerNo: 1, now: Date.now }).reader()).queryRecords(
      { stream: "attachments", connection_id: "cin_notes_ada", filter: { mime_type: "text/csv" } },
    );
    const [file] = data;
    expect(file?.object).toBe("record");
    const page = await open(`cin_notes_ada/attachments:${file?.object === "record" ? file.id : ""}`);
    expect(page.html.match(/<section class="text">/g)).toHaveLength(2);
    expect(findLink(page, "Open")).toContain("show=1");
    expect(findLink(page, "Download")).toContain("/file?");
  });

  it("[CSL-146] [BIG-20] shows the first page of a PDF, made once and only for a reader of the file", async () => {
    const page = await open("cin_notes_ada/attachments:nt_491c10988cdb_1");
    expect(readElementText(page, "h1")).toBe("Rechnung_R-2026-0117.pdf");
    const picture = /<figure class="first-page">.*?<img src="(thumbnail\?[^"]+)"/s.exec(page.html)?.[1] ?? "";
    const { fetch } = stage(vault);
    const cookie = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const read = (base: string) =>
      fetch(new Request(`${base}/${picture.replaceAll("&amp;", "&")}`, { headers: { cookie } }));
    const first = new Uint8Array(await (await read(site)).arrayBuffer());
    expect(readPictureHeader(first)).toEqual({ type: "jpeg", width: 800, height: 1132 });
    expect(new Uint8Array(await (await read(site)).arrayBuffer())).toEqual(first);
    const policy = (await read(site)).headers.get("content-security-policy");
    expect(policy).toBe("default-src 'none'; sandbox");
    for (const shown of ["First page", "Gesamtbetrag", "PDF, 2.2 kB", "Download"]) expect(page.html).toContain(shown);
    const api = createOwner({ store: vault.store, ownerNo: 1, now: Date.now });
    const streams = [{ name: "attachments", fields: ["id", "filename"] }];
    const issued = await api.grants.issue({ client: { name: "R" }, sources: [{ connector_key: "notes", streams }] });
    expect((await read(`${site}/as/${issued.grants[0]?.grant_id}`)).status).toBe(404);
  });

  it("[CSL-146] continues a long text, marks the words of a search, and leaves other kinds to their pages", async () => {
    const page = await open("papers/pages:long", "&q=ships");
    expect(page.html.length).toBeLessThan(200_000);
    expect(page.html).toContain("<mark>ships</mark>");
    expect(page.html).toContain("7,997 of 33,000 characters");
    expect(findLink(page, "Results for")).toBe(`${site}/explore?q=ships`);
    const rest = await owner.open(findLink(page, "Continue reading"));
    expect(rest.html).toContain("Characters 7,997 to ");
    const empty = await open("papers/pages:empty");
    expect([empty.status, empty.html.includes("No text.")]).toEqual([200, true]);
    expect((await open("papers/pages:none")).status).toBe(404);
    const mail = await owner.open(`${site}/stream?source=cin_mail_ada&stream=messages`);
    const id = /href="mail\?id=([^"&]+)/.exec(mail.html)?.[1] ?? "";
    expect(new URL((await open(decodeURIComponent(id))).url).pathname).toBe("/record");
  });

  it("[CSL-146] shows hostile text as text", async () => {
    const page = await open("papers/pages:hostile", "&q=lighthouse");
    expect(page.html).toContain("&lt;script&gt;hit()&lt;/script&gt;");
    expect(page.html).toContain("&lt;b&gt;Plan&lt;/b&gt;");
    expect(page.html).toContain("&lt;i&gt;tag&lt;/i&gt;");
    expect(page.html).toContain("<mark>lighthouse</mark>");
    expect(page.html).not.toMatch(/<script>hit|<img[^>]*(?:onerror|elsewhere)|<iframe|href="javascript|<b>Plan/i);
  });

  it("[CSL-146] shows an agent's view with what its access includes, and nothing else", async () => {
    const api = createOwner({ store: vault.store, ownerNo: 1, now: Date.now });
    const issue = async (connector_key: string, name: string, fields: string[]) => {
      const request = {
        client: { name: "Reader" },
        purpose: "x",
        sources: [{ connector_key, streams: [{ name, fields }] }],
      };
      return `${site}/as/${(await api.grants.issue(request)).grants[0]?.grant_id}`;
    };
    const base = await issue("papers", "pages", ["id", "name"]);
    const page = await open("papers/pages:hostile", "", base);
    expect(page.status).toBe(200);
    expect(page.html).toContain("&lt;b&gt;Plan&lt;/b&gt;");
    expect(page.html).not.toMatch(/lighthouse|tag&lt;|CANARY/);
    expect(findLink(page, "Technical details")).toContain(`${base}/record?`);
    const files = await issue("notes", "attachments", ["id", "filename"]);
    const file = await open("cin_notes_ada/attachments:nt_491c10988cdb_2", "", files);
    expect(file.html).toContain("manometer-0-4-bar.png");
    expect(file.html).not.toMatch(/Boiler|gauge|5\.6 kB|blob_sha256|Download/);
    expect((await open("cin_notes_ada/notes:nt_491c10988cdb", "", files)).html).not.toContain("Kessel");
  });
});
