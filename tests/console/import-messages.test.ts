import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { buildHeaders, type ImportPage, openImportPage, readCsrfToken } from "@pdpp/test-support/web/import-page";
import { findLink, site } from "@pdpp/test-support/web/owner-pages";
import type { VisitedPage } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeZip } from "../importers/archives/zip-writer.ts";

/** Messages about imports: rejected items, counts, and unrecognized files. */

const mail = [
  "From ada@example.org Sat Jan 13 10:00:00 2024",
  "From: Ada <ada@example.org>",
  "To: Ben <ben@example.org>",
  "Date: Sat, 13 Jan 2024 10:00:00 +0000",
  "Message-ID: <1@example.org>",
  "Subject: Boiler",
  "",
  "It is cold.",
  "",
].join("\n");
const buildConversation = (id: string) => ({
  id,
  title: "Heating",
  create_time: 1705140000,
  update_time: 1705140060,
  mapping: {
    a: {
      id: "a",
      parent: null,
      children: [],
      message: {
        id: `${id}-a`,
        author: { role: "user" },
        create_time: 1705140000,
        content: { content_type: "text", parts: ["Why is it cold?"] },
      },
    },
  },
  current_node: "a",
});
const whole = JSON.stringify([buildConversation("one"), buildConversation("two")]);
/** An export with several products, one of them truncated. */
const buildTakeout = (isCut: boolean, more = ""): Uint8Array<ArrayBuffer> =>
  new Uint8Array(
    writeZip([
      { name: "Takeout/Mail/All mail.mbox", content: `${mail}${more}` },
      { name: "ChatGPT/conversations.json", content: isCut ? whole.slice(0, -60) : whole },
    ]),
  );

const findAttention = ({ html }: VisitedPage): string[] =>
  [
    ...(/aria-label="Needs attention">([\s\S]*?)<\/section>/.exec(html)?.[1] ?? "").matchAll(
      /<(?:li|p)>(.*?)<\/(?:li|p)>/g,
    ),
  ].map(([, line = ""]) => line.replaceAll(/<[^>]*>/g, ""));

describe.each(surfaceEngines)("rejected items, on %s", (engine) => {
  let vault: TestVault;
  let room: ImportPage;
  beforeAll(async () => {
    vault = await createVault(engine);
    room = await openImportPage(vault);
  });
  afterAll(async () => {
    await room.close();
    await vault.drop();
  });
  const bring = async (file: Uint8Array<ArrayBuffer>): Promise<VisitedPage> => {
    const planned = await room.until(await room.drop({ "takeout.zip": file }), "planned");
    return room.until(await room.owner.send(planned, {}), "over");
  };

  it("[CSL-52] are reported on the home page with their part, each item once", async () => {
    await bring(buildTakeout(true));
    expect(findAttention(await room.owner.open(`${site}/`))).toEqual([
      expect.stringMatching(/^1 item of ChatGPT couldn(?:'|&#39;)t be imported/),
    ]);
    const again = await bring(buildTakeout(true));
    const home = await room.owner.open(`${site}/`);
    expect(findAttention(home)).toHaveLength(1);
    expect(findLink(home, "See details")).toBe(`${again.url}#aside`);
    // A newer export without the damage reports nothing; the older one still does.
    await bring(buildTakeout(false, "\n"));
    expect(findAttention(await room.owner.open(`${site}/`))).toHaveLength(1);
  });
});

describe("a waiting plan", () => {
  let vault: TestVault;
  let room: ImportPage;
  beforeAll(async () => {
    vault = await createVault("sqlite");
    room = await openImportPage(vault);
  });
  afterAll(async () => {
    await room.close();
    await vault.drop();
  });
  const list = () => room.owner.open(`${site}/import`);

  it("[CSL-77] ends by itself when it is empty, and its page still says why", async () => {
    const path = join(vault.dataDir, "setup.exe");
    writeFileSync(path, "MZ\0\0");
    const named = await room.owner.send(await list(), { path }, "/import/path");
    const planned = await room.until(named, "planned");
    expect((await list()).html).toContain("Drop files here");
    const { html: page } = await room.owner.open(planned.url);
    for (const shown of ["Nothing here can be imported", "setup.exe", 'href="/import">Choose other files'])
      expect(page).toContain(shown);
    await expect.poll(() => readdirSync(join(vault.dataDir, "uploads"))).toEqual([]);
    // A late answer finds no waiting plan.
    const body = new URLSearchParams({ csrf_token: readCsrfToken(planned) });
    await room.on.fetch(
      new Request(`${planned.url}/answer`, { method: "POST", headers: buildHeaders(room.owner), body }),
    );
    expect((await list()).html).toContain("Drop files here");
    expect((await room.owner.open(planned.url)).html).toContain("setup.exe");
  });

  it("[CSL-77] can be discarded on the import page with one click", async () => {
    const planned = await room.until(await room.drop({ "takeout.zip": buildTakeout(false) }), "planned");
    const waiting = await list();
    expect(waiting.html).toContain("An import is waiting for your review");
    expect(findLink(waiting, "View it")).toBe(planned.url);
    expect(waiting.html).toContain("Discard");
    const after = await room.owner.send(waiting, {}, `${new URL(planned.url).pathname}/cancel`);
    expect([after.url, after.html.includes("Drop files here")]).toEqual([`${site}/import`, true]);
    expect((await room.owner.open(planned.url)).html).toContain("Nothing was saved");
  });
});

describe("counts in a plan", () => {
  let vault: TestVault;
  let room: ImportPage;
  beforeAll(async () => {
    vault = await createVault("sqlite");
    room = await openImportPage(vault);
  });
  afterAll(async () => {
    await room.close();
    await vault.drop();
  });
  const findButton = ({ html }: VisitedPage): string => /<button class="yes">(.*?)<\/button>/.exec(html)?.[1] ?? "";
  const discard = (planned: VisitedPage) => room.owner.send(planned, {}, `${new URL(planned.url).pathname}/cancel`);

  it("[CSL-77] use the singular, and say when all records already exist", async () => {
    const one = { "All mail.mbox": mail };
    const planned = await room.until(await room.drop(one), "planned");
    expect(findButton(planned)).toBe("Import 1 record");
    await room.until(await room.owner.send(planned, {}), "over");
    const again = await room.until(await room.drop(one), "planned");
    expect(findButton(again)).toBe("Finish");
    expect(again.html).toContain("Unchanged since the last import");
    expect(again.html).toContain("Read unchanged files again");
    await discard(again);
    const renamed = await room.until(await room.drop({ "Other name.mbox": mail }), "planned");
    expect(findButton(renamed)).toBe("Update 1 existing record");
    await discard(renamed);
    const second = mail.replace("<1@example.org>", "<2@example.org>");
    const more = await room.until(await room.drop({ "All mail.mbox": `${mail}\n${second}` }), "planned");
    expect(findButton(more)).toBe("Import 2 records");
    await room.until(await room.owner.send(more, {}), "over");
    const both = await room.until(await room.drop({ "All mail.mbox": `${mail}\n${second}` }), "planned");
    expect(findButton(both)).toBe("Finish");
    await discard(both);
    const files = [
      { name: "conversations.json", content: whole },
      { name: "conversations-001.json", content: JSON.stringify([buildConversation("three")]) },
    ];
    const pair = await room.until(await room.drop({ "chatgpt.zip": new Uint8Array(writeZip(files)) }), "planned");
    expect(pair.html).toContain(" and 1 more file<");
    await discard(pair);
  });

  it("[CSL-77] combine many chats into one group with totals, after the questions", async () => {
    const buildChat = (name: string, day: number) => [
      `WhatsApp Chat with ${name}.txt`,
      `${day}/01/2024, 10:00 - ${name}: boiler\n${day}/01/2024, 10:01 - Zoe: which one?`,
    ];
    const names = ["Ada", "Ben", "Cem", "Dora", "Eli"];
    const chats = Object.fromEntries(names.map((name, i) => buildChat(name, 13 + i)));
    const planned = await room.until(await room.drop({ ...chats, "All mail.mbox": mail }), "planned");
    const { html: page } = planned;
    expect(page.match(/<tbody>/g)).toHaveLength(2);
    const block = /<tbody>(?:(?!<tbody>)[\s\S])*WhatsApp[\s\S]*?<\/tbody>/.exec(page)?.[0] ?? "";
    const words = block.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
    expect(words).toMatch(/WhatsApp .*Ada.*, .*Ben.*, .*Cem.* and 2 more/);
    expect(words).toContain("Messages 10 2024-01-13 to 2024-01-17");
    expect(words).not.toContain("Dora");
    const places = ["ask-time_zone", "<table", "label-whatsapp", 'class="yes"'].map((each) => page.indexOf(each));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
    // Errors are shown next to the questions.
    const refused = await room.until(await room.owner.send(planned, { time_zone: "Nowhere" }), "planned");
    expect(refused.html.indexOf("is not a time zone")).toBeLessThan(refused.html.indexOf("ask-time_zone"));
    await discard(planned);
  });
});

describe("unrecognized files", () => {
  let vault: TestVault;
  let room: ImportPage;
  beforeAll(async () => {
    vault = await createVault("sqlite");
    room = await openImportPage(vault);
  });
  afterAll(async () => {
    await room.close();
    await vault.drop();
  });
  const bring = async (files: Readonly<Record<string, string>>): Promise<VisitedPage> => {
    const planned = await room.until(await room.drop(files), "planned");
    return room.until(await room.owner.send(planned, {}), "over");
  };

  it("[CSL-78] are listed in the report, which claims no more than it knows", async () => {
    const some = await bring({ "All mail.mbox": mail, "setup.exe": "MZ\0\0" });
    expect(some.html).not.toContain("Everything was imported");
    expect(some.html).toContain("Unrecognized files: 1");
    expect(some.html).toMatch(/<li><bdi>setup\.exe<\/bdi>/);
    const all = await bring({ "All mail.mbox": `${mail}\n` });
    expect(all.html).toContain("Everything was imported");
    expect(all.html).not.toContain("Unrecognized files");
    // They are not stored, so another server, or this one after a restart, doesn't know them.
    const later = await openImportPage(vault);
    try {
      const told = await later.owner.open(some.url);
      expect(told.html).toContain("All recognized items were imported.");
      expect(told.html).not.toContain("Everything was imported");
    } finally {
      await later.close();
    }
  });
});
