import { claude } from "#importers/formats/claude/claude";
import { createEndlessFile, type Dice, drawSentence, type Generator } from "../generator.ts";

interface Conversation {
  uuid: string;
  name: string;
  updated_at: string;
  chat_messages: Record<string, unknown>[];
  [more: string]: unknown;
}

const formatTime = (n: number, more = 0): string =>
  new Date(Date.UTC(2025, 0, 1) + n * 3_600_000 + more * 1000).toISOString();

function drawMessage(dice: Dice, n: number, turn: number, sender: string): Record<string, unknown> {
  const text = drawSentence(dice);
  const thinking = sender === "assistant" ? [{ type: "thinking", thinking: drawSentence(dice) }] : [];
  const pasted =
    turn === 0 && n % 4 === 0
      ? [{ file_name: "paste.txt", file_size: 40, file_type: "txt", extracted_content: drawSentence(dice) }]
      : [];
  return {
    uuid: `m-${n}-${turn}`,
    text,
    content: [...thinking, { type: "text", text }],
    sender,
    created_at: formatTime(n, turn),
    updated_at: formatTime(n, turn),
    attachments: pasted,
    files: [],
  };
}

const drawConversation = (dice: Dice, n: number): Conversation => ({
  uuid: `c-${n}`,
  name: drawSentence(dice, 3),
  created_at: formatTime(n),
  updated_at: formatTime(n, 60),
  account: { uuid: "account" },
  chat_messages: Array.from({ length: dice.int(1, 6) }, (_, turn) =>
    drawMessage(dice, n, turn, turn % 2 === 0 ? "human" : "assistant"),
  ),
});

export const claudeGenerator: Generator = {
  importer: claude,
  pair(dice, size) {
    const all = Array.from({ length: size }, (_, n) => drawConversation(dice, n));
    const renamed = { ...all[0], name: "Renamed" };
    const longer = all.slice(1, 3).map((each, n) => ({
      ...each,
      updated_at: formatTime(900 + n),
      chat_messages: [...each.chat_messages, drawMessage(dice, 900 + n, 9, "human")],
    }));
    const added = [drawConversation(dice, size), drawConversation(dice, size + 1)];
    return {
      older: { "conversations.json": JSON.stringify(all, null, 1), "users.json": "[]" },
      newer: { "conversations.json": JSON.stringify([renamed, ...longer, ...all.slice(3, -2), ...added]) },
    };
  },
  hostile(dice) {
    const good = [1, 2].map((n) => JSON.stringify(drawConversation(dice, n)));
    const odd = {
      ...drawConversation(dice, 3),
      created_at: "yesterday",
      updated_at: null,
      chat_messages: [
        null,
        4,
        { sender: 7, content: "text", text: "nul \u0000" },
        { content: [{ type: "tool_result", content: { a: 1 } }] },
      ],
    };
    const items = ["null", good[0], '{"chat_messages": {}}', "{broken}", JSON.stringify(odd), good[1]];
    return { files: { "conversations.json": `[${items.join(",")}, {"uuid": "cut", "chat_messages": [` }, good: 2 };
  },
  endless: (dice, bytes) =>
    createEndlessFile("conversations.json", bytes, (n) => JSON.stringify(drawConversation(dice, n % 1_000_000)), [
      "[",
      ",",
      "]",
    ]),
};
