import { telegram } from "#importers/formats/telegram/telegram";
import { createEndlessFile, type Dice, drawSentence, type Generator, people } from "../generator.ts";

const start = 1_700_000_000;

function drawMessage(dice: Dice, n: number): Record<string, unknown> {
  const from = n % people.length;
  const common = { id: n + 1, date: "2023-11-14T22:13:20", date_unixtime: String(start + n * 977) };
  const who = { from: people[from], from_id: `user${100 + from}` };
  if (n % 11 === 4)
    return {
      ...common,
      type: "service",
      actor: people[from],
      actor_id: `user${100 + from}`,
      action: "invite_members",
      members: [people[0]],
      text: "",
    };
  if (n % 7 === 2) return { ...common, ...who, type: "message", photo: "photos/photo_1.jpg", text: "" };
  if (n % 7 === 3)
    return { ...common, ...who, type: "message", text: ["see ", { type: "link", text: "https://example.org/" }] };
  return {
    ...common,
    ...who,
    type: "message",
    text: drawSentence(dice),
    ...(n % 5 === 1 ? { reply_to_message_id: n } : {}),
    ...(n % 9 === 6 ? { reactions: [{ type: "emoji", count: 1, emoji: "👍", recent: [{ from: people[1] }] }] } : {}),
  };
}

const buildFile = (chats: readonly unknown[]): string =>
  JSON.stringify({
    about: "Here is the data you requested.",
    personal_information: { user_id: 100, first_name: "Ada" },
    chats: { about: "", list: chats },
  });

const drawChat = (id: number, type: string, messages: readonly unknown[]): unknown => ({
  name: `Chat ${id}`,
  type,
  id,
  messages,
});

export const telegramGenerator: Generator = {
  importer: telegram,
  pair(dice, size) {
    const all = Array.from({ length: size * 3 }, (_, n) => drawMessage(dice, n));
    const edited = all.map((each, n) =>
      n === 5 ? { ...each, text: "as it was meant", edited_unixtime: String(start + 9_000_000) } : each,
    );
    const media = { "photos/photo_1.jpg": Buffer.from("jpeg") };
    return {
      older: {
        "result.json": buildFile([drawChat(1, "personal_chat", all), drawChat(2, "private_group", all.slice(0, 6))]),
        ...media,
      },
      newer: {
        "result.json": buildFile([drawChat(1, "personal_chat", [...edited.slice(2), drawMessage(dice, size * 3)])]),
        ...media,
      },
    };
  },
  hostile(dice) {
    const good = [drawMessage(dice, 0), drawMessage(dice, 1)].map((each) => JSON.stringify(each));
    const odd = { ...drawMessage(dice, 5), text: [null, 7, { text: "nul \u0000 half \ud800" }], reactions: "none" };
    const items = [
      good[0],
      "17",
      '{"type": "message", "text": "when?"}',
      '{"id": 9, "date_unixtime": "1e99", "date": "2023-02-31T10:00:00", "text": ""}',
      '{"broken": }',
      JSON.stringify(odd),
      good[1],
      '{"id": 12, "date_unixtime": "17',
    ];
    return {
      files: {
        "result.json": `\ufeff{"name": null, "type": "public_channel", "id": 7, "messages": [${items.join(",")}`,
      },
      good: 3,
    };
  },
  endless: (dice, bytes) =>
    createEndlessFile("result.json", bytes, (n) => JSON.stringify(drawMessage(dice, n)), [
      '{"name": "Chat", "type": "personal_chat", "id": 1, "messages": [',
      ",",
      "]}",
    ]),
};
