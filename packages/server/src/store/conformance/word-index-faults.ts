import type { JsonObject } from "@pdpp/contract/declaration";
import { wordsOf } from "@pdpp/language/words/words";
import { loadIndexedBlobText } from "../blobs/searchable-texts.ts";
import type { CatalogStream } from "../catalog/catalog.ts";
import { tableName } from "../catalog/layout.ts";
import type { ReadTransaction } from "../engine/engine.ts";
import { raw, sql } from "../engine/sql.ts";
import { lengthCode } from "../search/bytes.ts";
import { bytesIn, readChunks, spanOf } from "../search/chunks.ts";
import { readPositions, readPostings } from "../search/postings.ts";
import { backwardKey, fieldOfKey, isBackward, mayBeCompound, parts, readBlock, readFence } from "../search/segment.ts";
import type { SegmentRow } from "../search/segment-rows.ts";

/** What a word index says of the records it has, against what they say themselves. */

type Row = SegmentRow & { owner_no: number };

/** Every occurrence that the readable segments of an index have and no note says is gone, one line each. */
export async function findWordFaults(on: ReadTransaction, stream: CatalogStream): Promise<string[]> {
  if (stream.activeSearchPlan === null) return [];
  const { name, fields, blobFields = [] } = stream.activeSearchPlan;
  const faults: string[] = [];
  const said = new Map<string, number>();
  const rows = await on.all<Row>(sql`SELECT * FROM search_segment WHERE index_name = ${name} AND merge IS NULL`);
  for (const row of rows) {
    const gone = await loadTombstones(on, row);
    const { keys, lines } = await readLines(on, row, gone);
    for (const line of lines) said.set(line, (said.get(line) ?? 0) + 1);
    faults.push(...findKeyFaults(row.segment_no, keys));
  }
  const records = await on.all<{ owner_no: number; connection_no: number; doc: number; data: string }>(
    raw(`SELECT owner_no, connection_no, COALESCE(doc, version) AS doc, data FROM ${tableName(stream.streamNo)}`),
  );
  for (const { owner_no, connection_no, doc, data } of records) {
    const held: JsonObject = JSON.parse(data);
    for (const [n, field] of [...fields, ...blobFields].entries()) {
      const text = n < fields.length ? held[field] : await loadIndexedBlobText(on, owner_no, held, field);
      if (typeof text !== "string") continue;
      for (const line of listLines(text, owner_no, connection_no, doc, n)) {
        const times = said.get(line) ?? 0;
        if (times !== 1) faults.push(`${times} times in the index instead of once: ${line}`);
        said.delete(line);
      }
    }
  }
  for (const line of said.keys()) faults.push(`of no record: ${line}`);
  return faults.slice(0, 20);
}

const formatLine = (of: readonly (string | number)[], places: readonly number[]): string =>
  `${of.join(" ")} ${places.join(",")}`;

function listLines(text: string, owner: number, connection: number, doc: number, field: number): string[] {
  const words = wordsOf(text);
  const length = lengthCode(Math.max(0, ...words.map(({ position }) => position + 1)));
  return [...Map.groupBy(words, ({ form }) => form)].map(([form, each]) =>
    formatLine(
      [owner, connection, doc, field, form, length],
      each.map(({ position }) => position),
    ),
  );
}

async function loadTombstones(
  on: ReadTransaction,
  { owner_no, index_name, connection_no, segment_no }: Row,
): Promise<Set<number>> {
  const rows = await on.all<{ doc: number }>(sql`SELECT doc FROM search_gone WHERE owner_no = ${owner_no}
    AND index_name = ${index_name} AND connection_no = ${connection_no} AND before_segment > ${segment_no}`);
  return new Set(rows.map(({ doc }) => doc));
}

async function readLines(
  on: ReadTransaction,
  row: Row,
  gone: ReadonlySet<number>,
): Promise<{ keys: string[]; lines: string[] }> {
  const { owner_no, connection_no, segment_no, first_doc } = row;
  const { blocks, fenceBytes, postingBytes, positionBytes } = JSON.parse(row.written);
  const read = (part: Parameters<typeof readChunks>[3], bytes: number) =>
    readChunks(on, owner_no, segment_no, part, 0, spanOf({ at: 0, size: bytes }).to);
  const dictionary = (await readChunks(on, owner_no, segment_no, parts.dictionary, 0, blocks)).map((chunk) =>
    readBlock(chunk, first_doc),
  );
  const fence = readFence(await read(parts.fence, fenceBytes));
  const first = dictionary.map(({ keys }) => keys[0]);
  if (JSON.stringify(fence) !== JSON.stringify(first)) throw new Error(`segment ${segment_no} has another fence`);
  const postings = await read(parts.postings, postingBytes);
  const positions = await read(parts.positions, positionBytes);
  const lines: string[] = [];
  for (const entry of dictionary.flatMap(({ entries }) => entries)) {
    if (isBackward(entry.key)) continue;
    const list = readPostings(
      bytesIn(entry.postings, (n) => postings[n]),
      entry.first,
      entry.count,
    );
    const places = readPositions(
      bytesIn(entry.positions, (n) => positions[n]),
      list.times,
      () => true,
    );
    for (let n = 0; n < entry.count; n += 1) {
      const doc = list.docs[n] ?? 0;
      if (gone.has(doc)) continue;
      const of = [owner_no, connection_no, doc, fieldOfKey(entry.key), entry.key.slice(1), list.lengths[n] ?? 0];
      lines.push(formatLine(of, places.get(n) ?? []));
    }
  }
  return { keys: dictionary.flatMap(({ keys }) => keys), lines };
}

/** Keys are in order, and those from the end are of exactly the long words that are there. */
function findKeyFaults(segmentNo: number, keys: readonly string[]): string[] {
  const faults: string[] = [];
  for (const [n, key] of keys.entries()) {
    if (n > 0 && key < (keys[n - 1] ?? "")) faults.push(`segment ${segmentNo}: ${key} comes too late`);
  }
  const forward = new Set(keys.filter((key) => !isBackward(key)));
  const long = [...forward].filter((key) => mayBeCompound(key.slice(1)));
  const expected = long.map((key) => backwardKey(fieldOfKey(key), key.slice(1))).sort();
  const held = keys.filter(isBackward).sort();
  if (JSON.stringify(held) !== JSON.stringify(expected)) faults.push(`segment ${segmentNo}: other words from the end`);
  return faults;
}
