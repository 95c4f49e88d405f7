import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import { openStore, type Store } from "@pdpp/server/store/store";
import { issueGrant } from "#server/auth/issue";
import { ingest } from "#server/ingest/ingest";
import { addConnection } from "#server/owner/connections";
import { fillRaw, generateTexts } from "../search-texts.ts";
import type { Place } from "../vault.ts";

/** The vault that the server under test serves: ten years of mail in three connections, and the same texts in an FTS5 table. */

export const streamName = "mail";
export const connectionIds = ["first", "second", "third"] as const;
export const connectorKey = "bench-http";
const ownerNo = 1;
const text = { type: "string" };

const manifest: JsonObject = {
  connector_key: connectorKey,
  version: "1",
  streams: [
    {
      name: streamName,
      semantics: "append_only",
      primary_key: ["id"],
      cursor_field: "at",
      schema: {
        type: "object",
        required: ["id", "at", "folder", "sender"],
        properties: {
          id: text,
          at: { type: "string", format: "date-time" },
          folder: text,
          sender: text,
          subject: text,
          text,
          size: { type: "integer" },
        },
      },
      query: {
        search: { lexical_fields: ["text"] },
        range_filters: { at: ["gte", "lt"] },
        aggregations: { count: true, group_by: ["folder", "sender"] },
      },
    },
  ],
};

const tenYears = 10 * 365 * 86_400_000;
const start = Date.UTC(2015, 0, 1);
const longRecords = 20;
const longText = "A long text, which is read window by window, line after line. ".repeat(2000);

/** Of ten records, six are in the first connection, three in the second, one in the third. */
const getConnectionNo = (n: number): number => (n % 10 < 6 ? 0 : n % 10 < 9 ? 1 : 2);

export const buildRecordId = (n: number): string => `m${n}`;

/** The numbers of records in the first connection, spread over the vault. */
export const pickNumbers = (count: number, picked: number): number[] =>
  Array.from({ length: picked }, (_, i) => Math.floor(((i + 0.5) / picked) * (count / 10)) * 10 + 1);

/** Long records are the oldest, so that they are on no page of a list. */
export const longRecordIds = Array.from({ length: longRecords }, (_, i) => `long${i}`);

function buildRecord(n: number, count: number, words: string): JsonObject {
  return {
    id: buildRecordId(n),
    at: new Date(start + Math.floor((n / count) * tenYears)).toISOString(),
    folder: `folder${Math.floor(Math.sqrt(n % 144))}`,
    sender: `person${(n * 7919) % 400}@example.org`,
    subject: words.slice(0, 40),
    text: words,
    size: n % 9000,
  };
}

async function* generateLines(count: number, connectionNo: number): AsyncGenerator<Uint8Array> {
  let block: string[] = [];
  if (connectionNo === 0)
    for (const id of longRecordIds) block.push(toLine({ ...buildRecord(0, count, ""), id, text: longText }));
  let n = 0;
  for (const words of generateTexts(count)) {
    n += 1;
    if (getConnectionNo(n) !== connectionNo) continue;
    block.push(toLine(buildRecord(n, count, words)));
    if (block.length < 1000) continue;
    yield Buffer.from(block.join(""));
    block = [];
  }
  yield Buffer.from(block.join(""));
}

const toLine = (data: JsonObject): string => `${JSON.stringify({ data })}\n`;

async function fill(store: Store, count: number, note: (text: string) => void): Promise<void> {
  await store.register(parseManifest(manifest), Date.now());
  for (const [connectionNo, id] of connectionIds.entries()) {
    note(`storing connection ${id} ...`);
    const connection = await addConnection(store, ownerNo, { connectorKey, id }, Date.now());
    const target = { ownerNo, connection, stream: streamName };
    await ingest(store, target, generateLines(count, connectionNo), { now: Date.now });
  }
}

export interface BenchVault {
  readonly token: string;
  /** The vault's table of the stream. */
  readonly table: string;
  /** The column of a field, by its name. */
  readonly columns: Readonly<Record<string, string>>;
  readonly textsFile: string;
}

/** Fills a new vault, or uses the one that is there. */
export async function openBenchVault(place: Place, count: number, note: (text: string) => void): Promise<BenchVault> {
  mkdirSync(place.dataDir, { recursive: true });
  const filledFile = join(place.dataDir, "bench.json");
  const textsFile = join(place.dataDir, "texts.db");
  const store = await openStore(place);
  try {
    if (!existsSync(filledFile)) {
      await fill(store, count, note);
      const texts = new DatabaseSync(textsFile);
      fillRaw(texts, count);
      texts.close();
      writeFileSync(filledFile, JSON.stringify({ count }));
    }
    const { count: held } = JSON.parse(readFileSync(filledFile, "utf8")) as { count: number };
    if (held !== count) throw new Error(`${place.dataDir} has ${held} records; add --records ${held}`);
    const { columns, streamNo } = (await store.catalog()).connectors.get(connectorKey)!.streams.get(streamName)!;
    const sources = [{ connector_key: connectorKey, streams: [{ name: streamName }] }];
    const { token } = await issueGrant(store, ownerNo, { client: { name: "bench" }, sources }, Date.now());
    return {
      token,
      table: `r_${streamNo}`,
      columns: Object.fromEntries([...columns].map(([field, { column }]) => [field, column])),
      textsFile,
    };
  } finally {
    await store.close();
  }
}
