import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openTree } from "@pdpp/importers/tree";
import { describe, expect, it } from "vitest";
import { fixtures, fixturesMissing, readFixture, recordsOf } from "./fixture-files.ts";

describe.skipIf(fixturesMissing !== "")(`[IMP-11] files of others${fixturesMissing}`, () => {
  it("WhatsApp: reads the same messages from five ways of writing a chat", async () => {
    const chats = (await readFixture("chat-miner/test/whatsapp")).map(({ items }) => recordsOf(items, "messages"));
    const target: { timestamp: string; author: string; message: string }[] = JSON.parse(
      readFileSync(join(fixtures, "chat-miner/test/whatsapp/target.json"), "utf8"),
    );
    expect(chats.length).toBe(5);
    const flat = (text: unknown) => String(text).replaceAll("\n", " ");
    for (const messages of chats) {
      const written = messages.map(({ local_time, sender_name, text }) => [local_time, sender_name, flat(text)]);
      for (const { timestamp, author, message } of target) expect(written).toContainEqual([timestamp, author, message]);
      expect(messages.map(({ kind }) => kind)).toEqual([
        "message",
        "message",
        "message",
        "message",
        "system",
        "system",
        "message",
        "message",
        "message",
      ]);
      expect(messages[0]?.sent_at).toBe("2019-01-01T11:25:00+01:00");
      expect(messages[3]?.sent_at).toBe("2020-06-10T15:55:00+02:00");
    }
  });

  it("ChatGPT: reads a real conversation, its tools and its shown path", async () => {
    const [{ items } = { items: [] }] = await readFixture("chatgpt-chatgpt2graph");
    const [conversation] = recordsOf(items, "conversations");
    expect(conversation).toMatchObject({
      title: "Average Distance in U(0,1)",
      created_at: "2023-09-21T19:57:53.969Z",
      message_count: 44,
    });
    const messages = recordsOf(items, "messages");
    const by = (kind: string) => messages.filter(({ content_type }) => content_type === kind).length;
    expect([messages.length, by("text"), by("code"), by("execution_output")]).toEqual([44, 22, 11, 11]);
    expect(messages.every(({ created_at }) => typeof created_at === "string")).toBe(true);
    expect(messages.filter(({ is_hidden }) => is_hidden === true).length).toBeGreaterThan(0);
    const ids = new Set(messages.map(({ id }) => id));
    for (const { parent_id } of messages) if (parent_id !== null) expect(ids.has(parent_id ?? "")).toBe(true);
    const shown = messages.filter(({ is_shown }) => is_shown === true).map(({ position }) => position);
    expect(shown).toEqual(shown.map((_, i) => i + 1));
  });

  it("ChatGPT: reads exports that lack fields, and one in an archive", async () => {
    const found = await readFixture("chatgpt-export-studio");
    expect(found.map(({ items }) => recordsOf(items, "messages").length)).toEqual([6, 6]);
    const [{ items } = { items: [] }] = await readFixture("chatgpt-looselips");
    expect([recordsOf(items, "conversations").length, recordsOf(items, "messages").length]).toEqual([5, 10]);
  });

  it("Claude: reads text, thinking and tool input", async () => {
    const [{ items } = { items: [] }] = await readFixture("claude-history-2");
    const messages = recordsOf(items, "messages");
    expect([recordsOf(items, "conversations").length, messages.length]).toEqual([3, 8]);
    const made = messages.find(({ author_name }) => author_name === "artifacts");
    expect(made?.content).toMatch(
      /self-contained `ProductTable` component[\s\S]*\[artifacts\][\s\S]*title: ProductTable\.jsx/,
    );
    expect(made?.thinking).toMatch(/sortable table/);
  });

  it("ChatGPT and Claude: reads single conversations generated from their schemas", async () => {
    for (const [path, format] of [
      ["chatgpt", "chatgpt"],
      ["claude-ai", "claude"],
    ]) {
      const found = await readFixture(`ai-chats-polylogue/polylogue/schemas/providers/${path}/representatives`);
      expect(new Set(found.map((each) => each.format))).toEqual(new Set([format]));
      expect(found.flatMap(({ items }) => recordsOf(items, "messages")).length).toBeGreaterThan(0);
    }
  });

  it("mail: reads ten mails, real and hostile, with their nested mails", async () => {
    const [{ format, items } = { format: "", items: [] }] = await readFixture("mailparser");
    expect(format).toBe("mail-files");
    const mails = recordsOf(items, "messages");
    expect([mails.length, items.filter(({ kind }) => kind === "rejected").length]).toEqual([10, 0]);
    const one = (subject: string) => mails.find((each) => each.subject === subject);
    expect(one("Fwd: fotos")).toMatchObject({ from_address: "booewq@uuui.com", sent_at: "2004-09-09T08:15:52.000Z" });
    expect(one("Cause out of memory error in the mailparser")).toMatchObject({ body_from: "html" });
    expect(mails.filter(({ body_text }) => body_text !== "").length).toBeGreaterThan(7);
    expect(recordsOf(items, "attachments").map(({ name }) => name)).toContain("screenshot.png");
  });

  it("contacts: seventeen files of ten programs, every version of the format", async () => {
    const tree = await openTree([join(fixtures, "vcard-ez-vcard")]);
    const files = tree.entries.filter(({ path }) => path.endsWith(".vcf")).length;
    await tree.close();
    const [{ format, items } = { format: "", items: [] }] = await readFixture("vcard-ez-vcard");
    expect([format, files]).toEqual(["vcard", 17]);
    const contacts = recordsOf(items, "contacts");
    expect(items.filter(({ kind }) => kind === "rejected")).toEqual([]);
    expect(contacts.length).toBeGreaterThan(16);
    for (const { display_name } of contacts) expect(String(display_name)).toMatch(/\S/);
    // Nothing stays encoded.
    expect(
      contacts.filter(({ note, display_name }) => /=[0-9A-F]{2}=[0-9A-F]{2}/.test(`${note} ${display_name}`)),
    ).toEqual([]);
  });

  it("calendars: what cannot be read is named, and every event that has a beginning comes in", async () => {
    for (const [path, least, codes] of [
      ["ics-icalendar", 60, ["bad_rule", "no_start"]],
      ["ics-node-ical", 300, ["no_start"]],
    ] as const) {
      const [{ format, items } = { format: "", items: [] }] = await readFixture(path);
      expect(format).toBe("icalendar");
      const events = recordsOf(items, "events");
      expect(new Set(events.map(({ event_id }) => event_id)).size).toBeGreaterThan(least);
      for (const { starts_at } of events) expect(Number.isNaN(Date.parse(String(starts_at)))).toBe(false);
      expect([...new Set(items.flatMap((item) => (item.kind === "rejected" ? [item.code] : [])))].sort()).toEqual(
        codes,
      );
    }
  });
});
