import { createHash } from "node:crypto";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { buildMessage, createSample, putRecords } from "@pdpp/test-support/vaults/sample";
import { findLink, signInOwner, site } from "@pdpp/test-support/web/owner-pages";
import type { Person } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "#server/app";
import { createReadingThreads } from "#server/http/threads/reading-threads";
import { createOwner } from "#server/owner/owner";
import { type Stage, stage } from "../oauth/agent.ts";

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const markup = Buffer.from("<!doctype html><script>alert(1)</script>");

const readText = (html: string): string =>
  html
    .replace(/<[^>]+>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");

/** Cursors differ each time. */
const removeCursors = (html: string): string => html.replace(/cursor=[\w-]+/g, "cursor=");

describe.each(surfaceEngines)("exploring the vault, on %s", (engine) => {
  let vault: TestVault;
  let on: Stage;
  let owner: Person;
  beforeAll(async () => {
    vault = await createVault(engine);
    await createSample(vault);
    on = stage(vault);
    owner = await signInOwner(on);
  });
  afterAll(() => vault.drop());
  const storeBlob = async (bytes: Uint8Array, mime_type: string): Promise<object> => {
    const api = createOwner({ store: vault.store, ownerNo: 1, now: Date.now });
    async function* listAll() {
      yield bytes;
    }
    return api.blobs.put({ mime_type }, listAll());
  };
  const formatRecordUrl = (id: string, more = "") => `${site}/record?id=${encodeURIComponent(id)}${more}`;

  it("[CSL-2] finds records by words, marks them, and pages through the results", async () => {
    const first = await owner.open(`${site}/explore?q=message`);
    expect(first.html).toContain("<mark>message</mark>");
    expect(first.html).toContain("50 records");
    const seen = new Set<string>();
    let page = first;
    for (let pages = 1; ; pages += 1) {
      for (const [, id = ""] of page.html.matchAll(/<h2><a href="record\?id=([^"]+)"/g)) seen.add(id);
      if (!page.html.includes('rel="next"')) {
        expect(pages).toBe(3);
        break;
      }
      page = await owner.open(findLink(page, "More"));
    }
    expect(seen.size).toBe(50);
  });

  it("[CSL-2] filters by source, type and date, all in the URL", async () => {
    const all = await owner.open(`${site}/explore?q=message`);
    const work = await owner.open(findLink(all, "Work"));
    expect(work.html).toContain("20 records");
    expect(work.html).not.toMatch(/<bdi>Home<\/bdi> · /);
    const late = await owner.open(`${work.url}&since=2026-05-01T10:15:00Z`);
    expect(late.html).toContain("5 records");
    const kinds = await owner.open(findLink(work, "Channels"));
    expect(kinds.html).toContain("No results.");
    // Signing in returns to the search.
    const stranger = on.owner();
    const asked = await stranger.open(work.url);
    expect(asked.url).toContain("/sign-in?next=");
    expect((await stranger.send(asked, { code: await on.code() })).url).toBe(work.url);
  });

  it("[CSL-2] lists sources before a search, and reports an invalid query", async () => {
    const page = await owner.open(`${site}/explore`);
    for (const shown of ["Home", "Work", "Shop", "Messages", "Channels"]) expect(page.html).toContain(shown);
    const wrong = await owner.open(`${site}/explore?q=message&source=nowhere`);
    expect([wrong.status, wrong.html.includes("Not found")]).toEqual([404, true]);
    expect((await owner.open(`${site}/explore?q=message&cursor=x`)).status).toBe(400);
  });

  it("[CSL-3] shows a record in full, with related records", async () => {
    const { html } = await owner.open(formatRecordUrl("chat_home/messages:h03"));
    for (const shown of ["message h03", "Likes", "yes", "CANARY-h03", "Random", "1 May 2026"])
      expect(html).toContain(shown);
    const channel = await owner.open(findLink(await owner.open(formatRecordUrl("chat_home/messages:h03")), "Random"));
    expect(readText(channel.html)).toContain("Messages");
    const gone = await owner.open(formatRecordUrl("chat_home/messages:none"));
    expect(gone.status).toBe(404);
    const lines = await owner.open(`${site}/stream?source=shop_1&stream=order_lines`);
    const line = await owner.open(findLink(lines, "1 Feb 2026"));
    expect(readText(line.html)).toContain("12.5");
  });

  it("[CSL-3] pages through a long text to its end", async () => {
    const text = Array.from(
      { length: 20_000 },
      (_, i) => `${i % 7 === 0 ? "<b>" : "w&"}${String(i).padStart(7, "0")}\n`,
    ).join("");
    await putRecords(vault, "chat_home", "messages", [buildMessage("long", 60, { text })]);
    let page = await owner.open(formatRecordUrl("chat_home/messages:long"));
    const windows: string[] = [];
    for (;;) {
      windows.push(readText(/<div class="prose"[^>]*>([\s\S]*?)<\/div>/.exec(page.html)?.[1] ?? ""));
      expect(page.html.length).toBeLessThan(100_000);
      if (!page.html.includes('rel="next"')) break;
      page = await owner.open(findLink(page, "Continue reading"));
    }
    expect(windows.join("")).toBe(text);
    expect(page.html).toContain("End of text");
    const before = await owner.open(findLink(page, "Previous part"));
    expect(readText(/<div class="prose"[^>]*>([\s\S]*?)<\/div>/.exec(before.html)?.[1] ?? "").length).toBeGreaterThan(
      1000,
    );
  });

  it("[CSL-3] [CSL-14] lists versions with their changes, and marks the changed words", async () => {
    const buildDeepText = (word: string) => `${"far ".repeat(10_000)}${word} end`;
    await putRecords(vault, "chat_home", "messages", [
      buildMessage("v", 61, { text: "first words", secret: buildDeepText("old") }),
    ]);
    await putRecords(vault, "chat_home", "messages", [
      buildMessage("v", 61, { text: "second words", secret: buildDeepText("old") }),
    ]);
    await putRecords(vault, "chat_home", "messages", [
      buildMessage("v", 61, { text: "second words", secret: buildDeepText("new") }),
    ]);
    const page = await owner.open(formatRecordUrl("chat_home/messages:v"));
    expect(page.html).toContain("second words");
    expect(page.html).not.toContain("first words");
    for (const shown of ["changed <bdi>Secret</bdi>", "changed <bdi>Text</bdi>", "first stored"])
      expect(page.html).toContain(shown);
    const earlier = await owner.open(findLink(page, "Version 1"));
    for (const shown of ["<del>first</del><ins>second</ins> words", "Version 1 of 3", "changed one field"])
      expect(earlier.html).toContain(shown);
    const next = await owner.open(findLink(earlier, "Version 2"));
    expect(next.html).toContain("<del>old</del><ins>new</ins> end");
    expect(next.html.length).toBeLessThan(20_000);
    expect((await owner.open(formatRecordUrl("chat_home/messages:v", "&version=99"))).status).toBeGreaterThanOrEqual(
      400,
    );
  });

  it("[CSL-14] [PAG-13] counts related records and links to a table of them all", async () => {
    const page = await owner.open(formatRecordUrl("chat_home/channels:general"));
    const total = /Messages (\d+)/.exec(readText(page.html))?.[1];
    const table = await owner.open(findLink(page, `Show all ${total}`));
    expect(table.url).toContain("filter=channel_id%3Ais%3Ageneral");
    expect(table.html.match(/<tr><td/g)).toHaveLength(Number(total));
    expect(Number(total)).toBeGreaterThan(10);
  });

  it("[CSL-3] serves files as downloads, and as images only when their bytes are images", async () => {
    const page = await storeBlob(png, "image/png");
    const false_ = await storeBlob(markup, "image/png");
    await putRecords(vault, "chat_home", "messages", [
      buildMessage("p", 62, { blob_ref: { ...page } }),
      buildMessage("f", 63, { blob_ref: { ...false_ } }),
    ]);
    const shown = await owner.open(formatRecordUrl("chat_home/messages:p"));
    const src = /<img class="picture" src="([^"]+)"/.exec(shown.html)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const picture = await owner.open(new URL(src, site).href);
    expect(picture.headers.get("content-type")).toBe("image/png");
    expect(picture.headers.get("content-disposition")).toMatch(/^inline; /);
    const blob = `blob_sha256_${createHash("sha256").update(markup).digest("hex")}`;
    for (const more of ["", "&show=1"]) {
      const { headers, html } = await owner.open(`${site}/file?connection=chat_home&blob=${blob}${more}`);
      expect(headers.get("content-type")).toBe("application/octet-stream");
      expect(headers.get("content-disposition")).toMatch(/^attachment; filename="blob_sha256_\w+\.png"$/);
      expect(headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
      expect(html).toBe(markup.toString());
    }
    expect((await owner.open(`${site}/file?connection=chat_work&blob=${blob}`)).status).toBe(404);
  });

  it("[CSL-155] opens files without active content in the browser, and nothing else", async () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
    const files: readonly (readonly [bytes: Uint8Array, declared: string, shown: string | undefined])[] = [
      [Buffer.from("%PDF-1.4 a small one"), "application/pdf", "application/pdf"],
      [Buffer.from("%PDF-1.4 without a type"), "application/octet-stream", "application/pdf"],
      [Buffer.from("<script>alert(2)</script>"), "text/plain", "text/plain; charset=utf-8"],
      [Buffer.from("a,b\n1,2\n"), "TEXT/CSV; charset=utf-8", "text/plain; charset=utf-8"],
      [Buffer.from("text with a \0 in it"), "text/plain", undefined],
      [Buffer.from("<!doctype html><script>alert(3)</script>"), "text/html", undefined],
      [Buffer.from("<!doctype html><script>alert(4)</script>"), "application/pdf", undefined],
      [Buffer.from(" %PDF-1.4 <script>alert(5)</script>"), "application/pdf", undefined],
      [svg, "image/svg+xml", undefined],
      [Buffer.from("<a xmlns='x'/>"), "text/xml", undefined],
    ];
    for (const [i, [bytes, declared, shown]] of files.entries()) {
      const ref = await storeBlob(bytes, declared);
      await putRecords(vault, "chat_home", "messages", [buildMessage(`file${i}`, 70 + i, { blob_ref: { ...ref } })]);
      const blob = `blob_sha256_${createHash("sha256").update(bytes).digest("hex")}`;
      const url = `${site}/file?connection=chat_home&blob=${blob}`;
      for (const [address, type] of [
        [url, undefined],
        [`${url}&show=1`, shown],
      ] as const) {
        const { headers } = await owner.open(address);
        expect([declared, headers.get("content-type")]).toEqual([declared, type ?? "application/octet-stream"]);
        expect(headers.get("content-disposition")).toMatch(type === undefined ? /^attachment; / : /^inline; /);
        expect(headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
        expect(headers.get("x-content-type-options")).toBe("nosniff");
      }
      const page = await owner.open(formatRecordUrl(`chat_home/messages:file${i}`));
      const isOffered = /href="file\?[^"]*show=1">Open</.test(page.html);
      expect([declared, isOffered]).toEqual([declared, /pdf$|^text\/(?:plain|csv)/i.test(declared)]);
    }
  });

  it("[CSL-4] shows a table with sorting, filters and chosen columns", async () => {
    const table = await owner.open(`${site}/stream?source=chat_work&stream=messages`);
    const listIds = (html: string) => [...html.matchAll(/messages%3A(w\d\d)/g)].map(([, id]) => id);
    expect(table.html).toContain("20 records");
    expect(listIds(table.html)[0]).toBe("w19");
    expect(table.html).not.toMatch(/<th[^>]*><bdi>(Id|Channel id)</);
    const rising = await owner.open(findLink(table, "Sent at"));
    expect(listIds(rising.html)[0]).toBe("w00");
    const filtered = await owner.open(`${rising.url}&field=channel_id&operator=is&value=random`);
    expect(filtered.url).toContain("filter=channel_id%3Ais%3Arandom");
    expect(listIds(filtered.html)).toEqual(["w01", "w03", "w05", "w07", "w09", "w11", "w13", "w15", "w17", "w19"]);
    const span = await owner.open(`${rising.url}&filter=likes%3Agte%3A5&filter=likes%3Alt%3A8`);
    expect(listIds(span.html)).toEqual(["w05", "w06", "w07"]);
    expect(listIds((await owner.open(findLink(filtered, "Remove"))).html).length).toBe(20);
    const chosen = await owner.open(`${rising.url.replace(/&column=\w+/g, "")}&column=id&column=secret`);
    expect(chosen.html).toContain("CANARY-w00");
    expect(chosen.html.match(/<th /g)?.length).toBe(2);
    expect((await owner.open(`${table.url}&filter=nothing%3Ais%3A1`)).status).toBeGreaterThanOrEqual(400);
  });

  it("[CSL-2] [CSL-6] shows the same when threads do the heavy reads", async () => {
    const { dataDir, databaseUrl, store } = vault;
    // Recent counts are cached.
    on.wait(61_000);
    const threads = createReadingThreads({ dataDir, ...(databaseUrl === undefined ? {} : { databaseUrl }) });
    try {
      const app = createApp({ store, threads });
      const cookie = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const paths = ["/explore?q=message", "/stream?source=chat_work&stream=messages&filter=likes%3Agte%3A5", "/"];
      for (const path of paths) {
        const readPage = async () => {
          const headers = { cookie, accept: "text/html" };
          return removeCursors(await (await app.fetch(new Request(`${site}${path}`, { headers }))).text());
        };
        // A page shows cached counts until the new ones are ready.
        const areSame = async () => (await readPage()) === removeCursors((await owner.open(`${site}${path}`)).html);
        await expect.poll(areSame).toBe(true);
      }
    } finally {
      await threads.close();
    }
  });

  it("[CSL-4] pages through a table", async () => {
    await putRecords(
      vault,
      "chat_work",
      "messages",
      Array.from({ length: 60 }, (_, i) => buildMessage(`x${i}`, 100 + i)),
    );
    const first = await owner.open(`${site}/stream?source=chat_work&stream=messages`);
    const second = await owner.open(findLink(first, "More"));
    const countRows = (html: string) => html.match(/<tr>/g)?.length;
    expect([countRows(first.html), countRows(second.html)]).toEqual([51, 31]);
  });
});
