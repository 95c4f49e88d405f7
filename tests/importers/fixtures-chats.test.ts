import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { asideOf, fixtures, fixturesMissing, itemsOf, recordsOf } from "./fixture-files.ts";

interface Expected {
  readonly timestamp: string;
  readonly author: string;
  readonly message: string;
}

const expected = (path: string): Expected[] => JSON.parse(readFileSync(join(fixtures, path), "utf8"));

/** Texts of two programs that put parts together with a space and without. */
const flat = (text: unknown): string => String(text).replace(/\s+/g, "");

describe.skipIf(fixturesMissing !== "")(`[IMP-11] chats of others${fixturesMissing}`, () => {
  it("Telegram: reads the expected messages from one chat and from an account", async () => {
    const messages = recordsOf(await itemsOf("chat-miner/test/telegram", "telegram"), "messages");
    const target = expected("chat-miner/test/telegram/target.json");
    const read = messages.map(({ sent_at, sender_name, text }) => [sent_at, sender_name, flat(text)]);
    expect(read).toEqual(
      [...target, ...target].map(({ timestamp, author, message }) => [`${timestamp}.000Z`, author, flat(message)]),
    );
  });

  it("Slack: reads people, bots and threads, and keeps no token", async () => {
    const items = await itemsOf("slack-export-viewer", "slack");
    const messages = recordsOf(items, "messages");
    expect([messages.length, recordsOf(items, "conversations").length, asideOf(items).length]).toEqual([158, 2, 0]);
    expect(messages.filter(({ sender_name }) => sender_name === null)).toEqual([]);
    expect(messages.filter(({ text }) => text === "").length).toBe(0);
    expect(messages.find(({ id }) => id === "C0JGLMMNX/1452837318.000002")).toMatchObject({
      conversation_title: "enrique",
      sender_name: "Hamza Faran",
      text: "@Hamza Faran has joined the channel",
      kind: "system",
      sent_at: "2016-01-15T05:55:18.000Z",
    });
    const all = JSON.stringify([...items, ...(await itemsOf("zulip-chat-imports/slack", "slack"))]);
    expect(all).not.toMatch(/xox[a-z]-|&(lt|gt|amp);|<@U/);
  });

  it("Slack: reads a channel with a non-Latin name, and threads", async () => {
    const items = await itemsOf("zulip-chat-imports/slack", "slack");
    expect(recordsOf(items, "conversations").map(({ title }) => title)).toContain("チャネル");
    const messages = recordsOf(items, "messages");
    expect(messages.length).toBe(91 + 5 + 22);
    const ids = new Set(messages.map(({ id }) => id));
    const replies = messages.filter(({ reply_to_id }) => reply_to_id !== null);
    expect(replies.length).toBeGreaterThan(3);
    for (const { reply_to_id } of replies) expect(ids.has(reply_to_id ?? "")).toBe(true);
  });

  it("Google Chat: reads four spaces with times in English prose", async () => {
    const items = await itemsOf("google-voice", "google-chat");
    const messages = recordsOf(items, "messages");
    expect([messages.length, asideOf(items).length]).toEqual([67, 0]);
    expect(messages.find(({ id }) => id === "2k64eoAAAAE/AHCQlT0wH1c/AHCQlT0wH1c")).toMatchObject({
      sender_name: "Maria S Curie",
      sent_at: "2014-08-25T17:29:21.000Z",
      text: "you are really on top of this social networking stuff; have you had training?",
    });
    expect(recordsOf(items, "attachments").map(({ name }) => name)).toContain("390445992115543672?account_id=0.jpg");
  });

  it("Google Voice: reads texts, groups, calls and a voicemail transcript", async () => {
    const items = await itemsOf("google-voice", "google-voice");
    const messages = recordsOf(items, "messages");
    expect([messages.length, recordsOf(items, "conversations").length, asideOf(items).length]).toEqual([76, 16, 0]);
    expect(messages.find(({ text }) => String(text).startsWith("Hans' weekly"))).toMatchObject({
      is_from_me: true,
      conversation_title: "+17323217777",
      sent_at: "2021-01-21T17:33:43.242-08:00",
    });
    expect(
      messages.find(({ text }) => /voicemail/i.test(String(text)) && /sitting out in front/.test(String(text))),
    ).toMatchObject({
      kind: "call",
      sender_name: "Edson Arantes do Nascimento",
    });
    const card = recordsOf(items, "attachments").find(({ name }) => String(name).endsWith("-3-1.vcf"));
    expect(card).toMatchObject({ mime_type: "text/vcard", note: null });
    const group = recordsOf(items, "conversations").find(
      ({ kind, title }) => kind === "group" && String(title).startsWith("Debbie"),
    );
    expect(group?.participants).toContain("Laura Five");
  });

  it("Instagram: reads the expected messages", async () => {
    const messages = recordsOf(await itemsOf("chat-miner/test/instagram", "facebook-instagram"), "messages");
    const read = messages.map(({ sent_at, sender_name, text }) => [sent_at, sender_name, text]);
    expect(read).toEqual(
      expected("chat-miner/test/instagram/target.json").map((each) => [
        `${each.timestamp}.000Z`,
        each.author,
        each.message,
      ]),
    );
  });
});
