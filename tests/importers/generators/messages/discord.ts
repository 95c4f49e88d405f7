import { discord } from "#importers/formats/discord/discord";
import { createEndlessFile, type Dice, drawSentence, type Generator } from "../generator.ts";

/** Larger than what JSON's numbers keep whole. */
const formatId = (n: number): string => String(1_122_334_455_667_788_991n + BigInt(n));
const formatTime = (n: number): string =>
  new Date(Date.UTC(2024, 0, 1) + n * 60_000).toISOString().slice(0, 19).replace("T", " ");

const link = (n: number): string =>
  n % 4 === 3 ? "https://cdn.discordapp.com/attachments/1/2/a.png?ex=66&is=65&hm=secret" : "";

const drawMessage = (dice: Dice, n: number): string =>
  `{"ID": ${formatId(n)}, "Timestamp": "${formatTime(n)}", "Contents": ${JSON.stringify(drawSentence(dice))}, "Attachments": "${link(n)}"}`;

const buildRow = (dice: Dice, n: number): string =>
  `${formatId(n)},${formatTime(n)}.123000+00:00,"${drawSentence(dice)}\nsaid ""so""",${link(n)}`;

const header = "ID,Timestamp,Contents,Attachments";

export const discordGenerator: Generator = {
  importer: discord,
  pair(dice, size) {
    const all = Array.from({ length: size * 2 }, (_, n) => drawMessage(dice, n));
    const rows = Array.from({ length: size }, (_, n) => buildRow(dice, 500 + n));
    const lists = {
      "messages/index.json": JSON.stringify({ "111222333444555666": "general in Haus", "777": null }),
      "messages/c111222333444555666/channel.json": '{"id": "111222333444555666", "type": 0, "guild": {"name": "Haus"}}',
      "messages/c777/channel.json": '{"id": "777", "type": 1, "recipients": ["1", "2"]}',
    };
    const one = "messages/c111222333444555666/messages.json";
    return {
      older: { ...lists, [one]: `[${all.join(",")}]`, "messages/c777/messages.csv": [header, ...rows].join("\r\n") },
      // Deleted messages are missing.
      newer: { ...lists, [one]: `[${[...all.slice(3), drawMessage(dice, size * 2)].join(",")}]` },
    };
  },
  hostile(dice) {
    const items = [
      drawMessage(dice, 1),
      '{"ID": "none", "Timestamp": "2024-01-01 00:00:00", "Contents": ""}',
      `{"ID": ${formatId(2)}, "Timestamp": "2024-02-31 00:00:00", "Contents": ""}`,
      "7",
      "{broken}",
      `{"ID": "${formatId(3)}", "Timestamp": "2024-01-01 00:00:01", "Contents": "nul \\u0000 \\ud800"}`,
      `{"ID": ${formatId(4)}, "Time`,
    ];
    return {
      files: {
        "Nachrichten/c1/messages.json": `[${items.join(",")}`,
        "Nachrichten/c2/messages.csv": `${header}\n${buildRow(dice, 9)}\nx,y\n${formatId(5)},2024-01-01 00:00:00,"never closed`,
        "Nachrichten/index.json": "[",
      },
      good: 3,
    };
  },
  endless: (dice, bytes) => createEndlessFile("c1/messages.json", bytes, (n) => drawMessage(dice, n), ["[", ",", "]"]),
};
