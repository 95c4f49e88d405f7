import { imessage } from "#importers/formats/imessage/imessage";
import { type Dice, drawSentence, type Generator } from "../generator.ts";
import { encodeDatabase } from "../sqlite-bytes.ts";

interface Sent {
  readonly n: number;
  readonly text: string;
  readonly edited?: boolean;
}

const drawMessage = (dice: Dice, n: number): Sent => ({ n, text: drawSentence(dice) });

/** Since 2001, in billionths of a second. */
const toAppleTime = (n: number): bigint =>
  (BigInt(Date.UTC(2024, 0, 1)) - 978_307_200_000n + BigInt(n) * 60_000n) * 1_000_000n;

/** As newer systems keep a text: with its looks. */
function stream(text: string): Uint8Array {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(3);
  length.writeUInt8(0x81, 0);
  length.writeUInt16LE(bytes.length, 1);
  const head = Buffer.from("\u0004\u000bstreamtyped\u0001NSMutableString\u0000NSString\u0001\u0084\u0001+", "latin1");
  return Buffer.concat([head, length, bytes, Buffer.from([0x86])]);
}

const schema = `
CREATE TABLE handle (ROWID INTEGER PRIMARY KEY, id TEXT, service TEXT);
CREATE TABLE chat (ROWID INTEGER PRIMARY KEY, guid TEXT, chat_identifier TEXT, display_name TEXT);
CREATE TABLE chat_handle_join (chat_id INTEGER, handle_id INTEGER);
CREATE TABLE chat_message_join (chat_id INTEGER, message_id INTEGER);
CREATE TABLE attachment (ROWID INTEGER PRIMARY KEY, filename TEXT, transfer_name TEXT, mime_type TEXT, total_bytes INTEGER);
CREATE TABLE message_attachment_join (message_id INTEGER, attachment_id INTEGER);
CREATE TABLE message (ROWID INTEGER PRIMARY KEY, guid TEXT, text TEXT, attributedBody BLOB, handle_id INTEGER, service TEXT,
  date INTEGER, date_edited INTEGER, is_from_me INTEGER, item_type INTEGER, group_title TEXT, associated_message_guid TEXT,
  associated_message_type INTEGER, thread_originator_guid TEXT);
INSERT INTO handle VALUES (1, '+491701', 'iMessage'), (2, 'bjorn@example.org', 'iMessage');
INSERT INTO chat VALUES (1, 'iMessage;-;+491701', '+491701', ''), (2, 'iMessage;+;chat7', 'chat7', 'Haus');
INSERT INTO chat_handle_join VALUES (1, 1), (2, 1), (2, 2);
INSERT INTO attachment VALUES (1, '~/Library/Messages/Attachments/ab/1/IMG.jpg', 'IMG.jpg', 'image/jpeg', 4);`;

const buildDatabase = (messages: readonly Sent[], more = ""): Uint8Array =>
  encodeDatabase((database) => {
    database.exec(schema);
    const add = database.prepare("INSERT INTO message VALUES (?, ?, ?, ?, ?, 'iMessage', ?, ?, ?, 0, NULL, ?, ?, ?)");
    const join = database.prepare("INSERT INTO chat_message_join VALUES (?, ?)");
    for (const [i, { n, text, edited = false }] of messages.entries()) {
      const isTap = n % 9 === 4;
      const target = isTap ? `p:0/guid-${n - 1}` : null;
      const answered = n % 9 === 7 ? "guid-0" : null;
      const looks = n % 2 === 0 ? stream(text) : null;
      const written = edited ? toAppleTime(9000) : 0n;
      const plain = n % 2 === 0 ? null : text;
      add.run(
        i + 1,
        `guid-${n}`,
        plain,
        looks,
        1 + (n % 2),
        toAppleTime(n),
        written,
        n % 3 === 0 ? 1 : 0,
        target,
        isTap ? 2001 : 0,
        answered,
      );
      join.run(1 + (n % 2), i + 1);
      if (n % 9 === 5) database.prepare("INSERT INTO message_attachment_join VALUES (?, 1)").run(i + 1);
    }
    if (more !== "") database.exec(more);
  });

const beside = { "Messages/Attachments/ab/1/IMG.jpg": Buffer.from("jpeg") };

export const imessageGenerator: Generator = {
  importer: imessage,
  pair(dice, size) {
    const all = Array.from({ length: size * 3 }, (_, n) => drawMessage(dice, n));
    const edited = all.map((each) => (each.n === 6 ? { ...each, text: "as it was meant", edited: true } : each));
    return {
      older: { "Messages/chat.db": buildDatabase(all), ...beside },
      newer: { "Messages/chat.db": buildDatabase([...edited.slice(2), drawMessage(dice, size * 3)]), ...beside },
    };
  },
  hostile(dice) {
    const bad =
      "INSERT INTO message(ROWID, guid, text, date) VALUES (90, NULL, 'no id', 700000000), (91, 'g91', 'when?', 0), " +
      "(92, 'g92', 'far', 9223372036854775807), (93, 'g93', 'nul ' || char(0) || 'x', 700000000);" +
      "INSERT INTO message(ROWID, guid, attributedBody, date) VALUES (94, 'g94', x'4e53537472696e67012bff41', 700000000);";
    const whole = buildDatabase(
      [1, 2, 3].map((n) => drawMessage(dice, n)),
      bad,
    );
    return {
      files: {
        "a/chat.db": whole,
        "b/chat.db": whole.subarray(0, 5000),
        "c/chat.db": encodeDatabase((database) => database.exec("CREATE VIEW message AS SELECT 1 AS guid")),
      },
      good: 5,
    };
  },
  crowd: (dice, n) => ({
    path: `${n}/chat.db`,
    content: buildDatabase(Array.from({ length: 400 }, (_, i) => drawMessage(dice, n * 400 + i))),
  }),
};
