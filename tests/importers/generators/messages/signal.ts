import { createHash } from "node:crypto";
import { signal } from "#importers/formats/signal/signal";
import { createEndlessFile, drawSentence, type Generator } from "../generator.ts";

const start = 1_700_000_000_000;
const picture = Buffer.from("jpeg");
const digest = createHash("sha256").update(picture).digest();

const buildOpening = (first: number): unknown[] => [
  { version: "1", backupTimeMs: String(start), mediaRootBackupKey: "" },
  { account: { givenName: "Ada", familyName: "L" } },
  { recipient: { id: String(first), self: {} } },
  { recipient: { id: String(first + 1), contact: { aci: "YWNp", e164: "491701234567", profileGivenName: "Björn" } } },
  { recipient: { id: String(first + 2), group: { masterKey: "a2V5", snapshot: { title: { title: "Haus" } } } } },
  { chat: { id: String(first + 10), recipientId: String(first + 1) } },
  { chat: { id: String(first + 11), recipientId: String(first + 2) } },
];

/** The numbers of people and chats are the export's own. */
function buildMessage(said: string, n: number, first: number): { chatItem: Record<string, unknown> } {
  const common = {
    chatId: String(first + 10 + (n % 3 === 0 ? 1 : 0)),
    authorId: String(first + (n % 2)),
    dateSent: String(start + n * 60_000),
    ...(n % 2 === 0 ? { outgoing: {} } : { incoming: { dateReceived: String(start + n * 60_000 + 5) } }),
  };
  if (n % 11 === 5) return { chatItem: { ...common, updateMessage: { simpleUpdate: { type: "JOINED_SIGNAL" } } } };
  if (n % 11 === 7) return { chatItem: { ...common, remoteDeletedMessage: {} } };
  const pointer = {
    contentType: "image/jpeg",
    fileName: "a.jpg",
    locatorInfo: { plaintextHash: digest.toString("base64"), size: 4 },
  };
  return {
    chatItem: {
      ...common,
      standardMessage: {
        text: { body: said },
        ...(n % 6 === 2 ? { attachments: [{ pointer }] } : {}),
        ...(n % 6 === 4 ? { quote: { targetSentTimestamp: String(start), authorId: String(first) } } : {}),
        ...(n % 6 === 1 ? { reactions: [{ emoji: "❤️", authorId: String(first + 1) }] } : {}),
      },
    },
  };
}

const buildFile = (frames: readonly unknown[]): string =>
  `${frames.map((frame) => JSON.stringify(frame)).join("\n")}\n`;
const beside = { "metadata.json": '{"version":1}', [`files/ab/${digest.toString("hex")}.jpg`]: picture };

export const signalGenerator: Generator = {
  importer: signal,
  pair(dice, size) {
    const words = Array.from({ length: size * 2 + 1 }, () => drawSentence(dice));
    const all = words.slice(0, -1).map((said, n) => buildMessage(said, n, 1));
    // The ninth was edited: it has the time of the edit, and its first form among its revisions.
    const later = words.map((said, n) => {
      const frame = buildMessage(said, n, 30);
      if (n !== 8) return frame;
      const standardMessage = { text: { body: "as it was meant" } };
      const dateSent = String(start + 9_000_000);
      return { chatItem: { ...frame.chatItem, dateSent, standardMessage, revisions: [frame.chatItem] } };
    });
    return {
      older: { "main.jsonl": buildFile([...buildOpening(1), ...all]), ...beside },
      newer: { "main.jsonl": buildFile([...buildOpening(30), ...later.slice(2)]), ...beside },
    };
  },
  hostile(dice) {
    const frames = [
      ...buildOpening(1),
      buildMessage(drawSentence(dice), 1, 1),
      buildMessage(drawSentence(dice), 2, 1),
    ].map((frame) => JSON.stringify(frame));
    const bad = [
      "17",
      '{"chatItem": {"dateSent": "never"}}',
      "{broken",
      '{"chatItem": {"chatId": 999, "authorId": 999, "dateSent": 1700000000000, "standardMessage": {"text": {"body": "nul \\u0000 \\ud800"}}}}',
      '{"chatItem": {"chatId": "12", "dateSent": "17',
    ];
    return { files: { "main.jsonl": [...frames, ...bad].join("\r\n") }, good: 3 };
  },
  endless: (dice, bytes) =>
    createEndlessFile("main.jsonl", bytes, (n) => `${JSON.stringify(buildMessage(drawSentence(dice), n, 1))}\n`, [
      buildFile(buildOpening(1)),
      "",
      "",
    ]),
};
