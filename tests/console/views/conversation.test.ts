import type { JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { now, putRecords } from "@pdpp/test-support/vaults/sample";
import { findLink, readElementText, signInOwner, site } from "@pdpp/test-support/web/owner-pages";
import type { Person, VisitedPage } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defineChatStreams, defineManifest } from "#importers/core/records/schema";
import { createOwner } from "#server/owner/owner";
import { stage } from "../../oauth/agent.ts";

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const start = Date.parse("2026-05-01T21:00:00Z");
const buildTurn = (key: string, minutes: number, more: JsonObject = {}): JsonObject => ({
  id: key,
  conversation_id: "family",
  sender_name: "Jonas Brambleby",
  is_from_me: false,
  kind: "message",
  text: `text of ${key}`,
  sent_at: new Date(start + minutes * 60_000).toISOString(),
  reactions: [],
  attachments: [],
  extra: {},
  ...more,
});

const own = { sender_name: "Ada Brambleby", is_from_me: true };
const listTurns = ({ html }: VisitedPage): string[] =>
  [...html.matchAll(/data-turn="chat\/messages:([^"]+)"/g)].map(([, key = ""]) => key);

describe.each(surfaceEngines)("conversations, on %s", (engine) => {
  let vault: TestVault;
  let owner: Person;
  const openOwner = () => createOwner({ store: vault.store, ownerNo: 1, now: Date.now });
  const put = (stream: string, records: readonly JsonObject[]) =>
    putRecords(
      vault,
      "chat",
      stream,
      records.map((data) => ({ key: String(data.id), data, emitted_at: new Date(now).toISOString() })),
    );
  beforeAll(async () => {
    vault = await createVault(engine);
    await openOwner().connectors.register(
      parseManifest(defineManifest("chats", "Chats", "1.0.0", defineChatStreams())),
    );
    await openOwner().connections.add({ connector_key: "chats", connection_id: "chat", display_name: "Family chats" });
    await openOwner().setTimeZone("Europe/Berlin");
    const conversation = { kind: "group", participants: ["Ada Brambleby", "Jonas Brambleby"], extra: {} };
    await put("conversations", [
      { id: "family", title: "The family", last_message_at: "2026-05-02T12:00:00Z", ...conversation },
      { id: "long", title: "Long one", last_message_at: "2026-06-02T12:00:00Z", ...conversation },
    ]);
    async function* listBytes() {
      yield png;
    }
    const blob = await openOwner().blobs.put({ mime_type: "image/png" }, listBytes());
    await put("messages", [
      buildTurn("t1", 0),
      buildTurn("t2", 1, { text: "<b>bold</b> and a foghorn" }),
      buildTurn("t3", 2, { ...own, text: "I heard the Foghorn", reactions: [{ emoji: "😂", from: "Jonas" }] }),
      buildTurn("t4", 3, { sender_name: null, is_from_me: null, kind: "system", text: "Jonas joined" }),
      buildTurn("t5", 90, { ...own, text: "after midnight", reply_to_id: "t1" }),
      buildTurn("t6", 91, { text: "a picture", attachments: ["harbour.png", "list.pdf"] }),
    ]);
    const attachment = { message_id: "t6", sent_at: new Date(start).toISOString(), text: null, text_from: null };
    await put("attachments", [
      {
        id: "t6/1",
        name: "harbour.png",
        mime_type: "image/png",
        size_bytes: 70,
        blob_ref: { ...blob } as JsonObject,
        ...attachment,
      },
      { id: "t6/2", name: "list.pdf", mime_type: "application/pdf", size_bytes: 91_000, blob_ref: null, ...attachment },
    ]);
    // Half of them have the same time.
    const long = Array.from({ length: 300 }, (_, i) =>
      buildTurn(`l${String(i).padStart(3, "0")}`, 5000 + (i < 150 ? 0 : i), { conversation_id: "long" }),
    );
    await put("messages", long);
    owner = await signInOwner(stage(vault));
  });
  afterAll(() => vault.drop());
  const openTurn = (key: string, more = "") =>
    owner.open(`${site}/conversation?id=${encodeURIComponent(`chat/messages:${key}`)}${more}`);

  it("[CSL-103] shows turns with their sender, day, side, files, reactions and replies", async () => {
    const page = await openTurn("t3");
    expect(readElementText(page, "h1")).toBe("The family");
    expect(listTurns(page)).toEqual(["t1", "t2", "t3", "t4", "t5", "t6"]);
    const { html } = page;
    // In Berlin the messages are of 1 May 23:00 to 2 May 00:31.
    expect([...html.matchAll(/href="day\/([^"]+)"/g)].map(([, day]) => day)).toEqual(["2026-05-01", "2026-05-02"]);
    expect(html).toContain(">23:02</time>");
    expect(html.match(/<strong><bdi>Jonas Brambleby<\/bdi><\/strong>/g)?.length).toBe(3);
    expect(html).toContain('class="turn own"');
    expect(html).toContain("&lt;b&gt;bold&lt;/b&gt;");
    expect(html).toMatch(/class="notices">.*Jonas joined/);
    expect(html).toContain("😂");
    expect(html).toMatch(/class="replied">.*text of t1/);
    expect(html).toMatch(/<a class="inline-picture" href="file\?/);
    expect(html).toMatch(/list\.pdf.*PDF, 91 kB.*not in the vault/);
    expect(html).toContain("Times shown in Europe/Berlin.");
  });

  it("[CSL-103] counts people and months, and jumps to a month", async () => {
    // Counts that take long are on the next page.
    const readTurn = async (): Promise<string> => (await openTurn("l200")).html;
    await expect.poll(readTurn, { timeout: 20_000 }).toContain("300 messages");
    await expect.poll(readTurn).toContain("<h2>People</h2>");
    const month = await openTurn("t1", "&month=2026-05");
    expect(listTurns(month)[0]).toBe("t1");
  });

  it("[CSL-104] opens a hit with its words marked, the number of the match and the way back", async () => {
    const found = await owner.open(`${site}/explore?q=foghorn`);
    const links = [...found.html.matchAll(/<h2><a href="(conversation\?[^"]+)"/g)].map(([, href = ""]) => href);
    expect(links.length).toBe(2);
    expect(links.every((href) => href.endsWith("q=foghorn#match"))).toBe(true);
    const first = await openTurn("t2", "&q=foghorn");
    expect(first.html).toContain("Match 1 of 2");
    expect(first.html).toContain("<mark>foghorn</mark>");
    expect(first.html).toContain("<mark>Foghorn</mark>");
    expect(first.html).toMatch(/<li id="match" data-turn="chat\/messages:t2"/);
    expect(first.html.match(/class="bubble opened"/g)?.length).toBe(1);
    const second = await owner.open(findLink(first, "Later match"));
    expect(second.html).toContain("Match 2 of 2");
    expect(new URL(findLink(second, "Earlier match")).searchParams.get("id")).toBe("chat/messages:t2");
    expect(findLink(second, "Results for")).toBe(`${site}/explore?q=foghorn`);
    // A query that can't be searched marks nothing.
    expect((await openTurn("t2", `&q=${encodeURIComponent("-")}`)).status).toBe(200);
  });

  it("[CSL-105] shows every turn once and in order, both ways", async () => {
    const middle = await openTurn("l200");
    expect(listTurns(middle).length).toBe(60);
    const walk = async (link: string): Promise<string[]> => {
      const pages: string[][] = [];
      for (let page = middle; page.html.includes(`>${link}<`); ) {
        page = await owner.open(findLink(page, link));
        expect(page.html.length).toBeLessThan(100_000);
        expect(listTurns(page).length).toBeLessThanOrEqual(60);
        pages.push(listTurns(page));
      }
      return (link === "Earlier messages" ? pages.reverse() : pages).flat();
    };
    const all = [...(await walk("Earlier messages")), ...listTurns(middle), ...(await walk("Later messages"))];
    expect(all).toEqual(Array.from({ length: 300 }, (_, i) => `l${String(i).padStart(3, "0")}`));
  });

  it("[CSL-105] leads back from a page of earlier turns", async () => {
    const earlier = await owner.open(findLink(await openTurn("l200"), "Earlier messages"));
    const back = await owner.open(findLink(earlier, "Later messages"));
    expect(listTurns(back)).toContain("l170");
    expect(back.html).not.toContain("bubble opened");
    expect((await openTurn("l200", "&later=nonsense")).status).toBe(400);
  });

  it("[CSL-144] is where the name of the source leads on Explore", async () => {
    const page = await owner.open(`${site}/explore`);
    const opened = await owner.open(findLink(page, "Family chats"));
    expect(opened.url).toContain("/conversation?source=chat");
    expect(opened.html).toContain("The family");
  });

  it("[CSL-107] lists conversations, newest first, and opens them at their end", async () => {
    const table = await owner.open(`${site}/stream?source=chat&stream=messages`);
    const list = await owner.open(findLink(table, "Conversations"));
    expect(readElementText(list, "h1")).toBe("Family chats");
    expect(list.html.indexOf("Long one")).toBeLessThan(list.html.indexOf("The family"));
    const long = await owner.open(findLink(list, "Long one"));
    expect(listTurns(long).at(-1)).toBe("l299");
    expect(long.html).toContain("Newest message");
    expect(findLink(list, "Table")).toContain("/stream?");
    const record = await owner.open(long.url.replace("/conversation?", "/record?"));
    expect(listTurns(await owner.open(findLink(record, "Open the conversation")))).toEqual(listTurns(long));
  });

  it("[CSL-112] opens the fields of a turn, and the page of a record that is no turn", async () => {
    const page = await openTurn("t3");
    const record = await owner.open(findLink(page, "All fields of this message"));
    expect(record.url).toContain("/record?id=chat%2Fmessages%3At3");
    const file = await owner.open(`${site}/conversation?id=${encodeURIComponent("chat/attachments:t6/1")}`);
    expect(file.url).toContain("/record?");
    expect((await openTurn("none")).status).toBe(404);
    expect((await owner.open(`${site}/conversation?id=x`)).status).toBe(404);
    expect((await owner.open(`${site}/conversation?source=chat&stream=nothing`)).status).toBe(404);
  });

  it("[CSL-112] shows through a grant only what it allows", async () => {
    const issue = async (fields: string[]) => {
      const streams = [{ name: "messages", connection_ids: ["chat"], fields }];
      const issued = await openOwner().grants.issue({
        client: { name: "Reader" },
        sources: [{ connector_key: "chats", streams }],
      });
      return issued.grants[0]?.grant_id ?? "";
    };
    const openAs = (id: string) =>
      owner.open(`${site}/as/${id}/conversation?id=${encodeURIComponent("chat/messages:t3")}&q=foghorn`);
    const without = await openAs(await issue(["id", "conversation_id", "sent_at", "text"]));
    expect(listTurns(without)).toEqual(["t1", "t2", "t3", "t4", "t5", "t6"]);
    for (const hidden of ["Brambleby", "The family", "😂", "harbour", "turn own"])
      expect(without.html).not.toContain(hidden);
    const links = [...without.html.matchAll(/<main[\s\S]*<\/main>/g)].flatMap(([main]) => [
      ...main.matchAll(/href="([^"]+)"/g),
    ]);
    for (const [, href = ""] of links) expect(href).toMatch(/^(?:#|\/agents\/|\/explore$|[a-z]+[?/])/);
    expect((await openAs(await issue(["id", "sent_at", "text"]))).url).toContain("/record?");
  });
});
