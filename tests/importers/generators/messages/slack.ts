import { slack } from "#importers/formats/slack/slack";
import {
  createEndlessFile,
  type Dice,
  drawSentence,
  type Files,
  formatIsoDay,
  type Generator,
  people,
} from "../generator.ts";

const users = people.map((real_name, n) => ({ id: `U${n}`, name: `user${n}`, profile: { real_name } }));
const channels = [
  { id: "C1", name: "general", members: ["U0", "U1"], topic: { value: "Everything" } },
  { id: "C2", name: "チャネル", members: ["U2"] },
];
const token = ["xoxe", "123", "abc"].join("-");

const formatTimestamp = (n: number): string => `${1_704_100_000 + n * 3_600}.${String(n).padStart(6, "0")}`;

function drawMessage(dice: Dice, n: number): Record<string, unknown> {
  const common = { type: "message", ts: formatTimestamp(n) };
  if (n % 10 === 3) return { ...common, user: "U1", subtype: "channel_join", text: "<@U1> has joined the channel" };
  if (n % 10 === 5)
    return {
      ...common,
      subtype: "bot_message",
      bot_id: "B1",
      text: "",
      attachments: [{ fallback: drawSentence(dice) }],
    };
  if (n % 10 === 7) {
    const url = `https://files.slack.com/a.png?t=${token}`;
    return { ...common, user: "U2", text: `<${url}|a.png>`, files: [{ id: "F1", name: "a.png", url_private: url }] };
  }
  return {
    ...common,
    user: `U${n % 6}`,
    text: `${drawSentence(dice)} &lt;b&gt; <@U0> <https://example.org|here>`,
    ...(n % 4 === 2 ? { thread_ts: formatTimestamp(0) } : {}),
  };
}

/** A file for each day. */
function buildDays(folder: string, messages: readonly Record<string, unknown>[]): Record<string, string> {
  const byDay = Map.groupBy(messages, (_, n) => formatIsoDay(Math.floor(n / 5)));
  return Object.fromEntries([...byDay].map(([day, list]) => [`${folder}/${day}.json`, JSON.stringify(list)]));
}

const lists: Files = { "users.json": JSON.stringify(users), "integration_logs.json": "[]" };

export const slackGenerator: Generator = {
  importer: slack,
  pair(dice, size) {
    const all = Array.from({ length: size * 2 }, (_, n) => drawMessage(dice, n));
    const edited = all.map((each, n) =>
      n === 6 ? { ...each, text: "as it was meant", edited: { user: "U0", ts: "1800000000.000000" } } : each,
    );
    const renamed = channels.map((each) => (each.id === "C1" ? { ...each, name: "all-of-us" } : each));
    return {
      older: {
        ...lists,
        "channels.json": JSON.stringify(channels),
        ...buildDays("general", all),
        ...buildDays("チャネル", all.slice(0, 4)),
      },
      newer: {
        ...lists,
        "channels.json": JSON.stringify(renamed),
        ...buildDays("all-of-us", [...edited.slice(3), drawMessage(dice, size * 2)]),
      },
    };
  },
  hostile(dice) {
    const odd = {
      ...drawMessage(dice, 0),
      text: `nul \u0000 <${"<".repeat(500)} https://x/?t=${token}`,
      user: 7,
      files: {},
    };
    const items = [
      JSON.stringify(drawMessage(dice, 1)),
      "null",
      '{"ts": "soon", "text": "when?"}',
      '{"ts": 1e400}',
      "{broken}",
      JSON.stringify(odd),
      JSON.stringify(drawMessage(dice, 2)),
      '{"ts": "17',
    ];
    return {
      files: { "general/2024-01-01.json": `[${items.join(",")}`, "users.json": '[{"id": 7}, 3, {"id"' },
      good: 3,
    };
  },
  endless: (dice, bytes) =>
    createEndlessFile("general/2024-01-01.json", bytes, (n) => JSON.stringify(drawMessage(dice, n)), ["[", ",", "]"]),
};
