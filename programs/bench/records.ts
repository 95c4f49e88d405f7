import { createHash } from "node:crypto";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import type { JsonObject } from "@pdpp/contract/declaration";

/** The benchmark's records: a mailbox of several years, deterministic for each seed. */

export const connectorKey = "bench-mail";
export const streamName = "messages";
export const connectionIds = ["big", "small"] as const;
/** The second connection has a tenth of the first one's records, so that a list over both has something to merge. */
export const secondShare = 10;

const kinds = ["chat", "mail", "newsletter", "invoice", "receipt", "invitation"];
const senders = 400;
const conversations = 20_000;
/** When the first message was sent. */
export const start = Date.UTC(2015, 0, 1);
const span = 10 * 365 * 86_400_000;

const time = { type: "string", format: "date-time" };
const text = { type: "string" };

export const manifest: JsonObject = {
  connector_key: connectorKey,
  version: "1.0.0",
  display_name: "Bench",
  streams: [
    {
      name: streamName,
      semantics: "append_only",
      primary_key: ["id"],
      cursor_field: "sent_at",
      consent_time_field: "sent_at",
      selection: { fields: true, resources: true },
      schema: {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        properties: {
          id: text,
          conversation_id: text,
          sender: text,
          subject: { type: ["string", "null"] },
          text,
          sent_at: time,
          amount: { type: ["number", "null"] },
          is_read: { type: "boolean" },
          kind: { type: "string", enum: kinds },
          size_bytes: { type: "integer", minimum: 0 },
        },
        required: ["id", "conversation_id", "sender", "text", "sent_at", "is_read", "kind", "size_bytes"],
        additionalProperties: false,
      },
      query: {
        range_filters: {
          sent_at: ["gte", "gt", "lte", "lt"],
          amount: ["gte", "gt", "lte", "lt"],
          size_bytes: ["gte", "gt", "lte", "lt"],
        },
        aggregations: {
          count: true,
          sum: ["amount", "size_bytes"],
          min: ["amount", "sent_at"],
          max: ["amount", "sent_at"],
          group_by: ["kind", "sender", "is_read"],
          group_by_time: ["sent_at"],
          count_distinct: ["sender", "conversation_id"],
        },
      },
    },
  ],
};

const words =
  "the we to of a and on tomorrow meeting invoice please thanks train garden ticket call back later house number kitchen " +
  "order shipped arrived photos weekend birthday doctor school project budget question answer maybe Größe café naïve 日本 🙂";
const vocabulary = words.split(" ");

/** mulberry32: small, fast, and the same on every machine. */
function createGenerator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The id of a connection's n-th record, without generating the records before it. */
export const buildRecordId = (seed: number, n: number): string =>
  `msg_${createHash("md5").update(`${seed}/${n}`).digest("hex").slice(0, 20)}`;

function* generateRecords(seed: number, count: number): Generator<JsonObject> {
  const random = createGenerator(seed);
  const pickBelow = (limit: number) => Math.floor(random() * limit);
  const buildSentence = (length: number) =>
    Array.from({ length }, () => vocabulary[pickBelow(vocabulary.length)]!).join(" ");
  for (let n = 0; n < count; n++) {
    const kind = random() < 0.7 ? "chat" : kinds[pickBelow(kinds.length)]!;
    const priced = kind === "invoice" || kind === "receipt";
    yield {
      id: buildRecordId(seed, n),
      conversation_id: `conv_${pickBelow(conversations).toString(36)}`,
      sender: `person${Math.floor(random() * random() * senders)}@example.org`,
      subject: kind === "chat" ? null : buildSentence(5),
      text: buildSentence(20 + pickBelow(16)),
      sent_at: new Date(start + Math.floor(((n + random()) / count) * span)).toISOString(),
      amount: priced ? pickBelow(100_000) / 100 : null,
      is_read: random() < 0.9,
      kind,
      size_bytes: 200 + pickBelow(20_000),
    };
  }
}

/** Writes `count` records as NDJSON and returns the average size of a record in bytes. */
export async function writeRecordsFile(file: string, seed: number, count: number): Promise<number> {
  const out = createWriteStream(file, { highWaterMark: 1 << 20 });
  let bytes = 0;
  let block: string[] = [];
  const flush = async () => {
    const chunk = Buffer.from(block.join(""));
    block = [];
    bytes += chunk.byteLength;
    if (!out.write(chunk)) await once(out, "drain");
  };
  for (const data of generateRecords(seed, count)) {
    block.push(`${JSON.stringify({ data })}\n`);
    if (block.length === 2000) await flush();
  }
  await flush();
  out.end();
  await once(out, "close");
  return bytes / count;
}
