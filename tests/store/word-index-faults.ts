import type { JsonObject } from "@pdpp/contract/declaration";
import { tokenize } from "@pdpp/language/words/tokenize";
import { dumpSegment, findKeyErrors } from "@pdpp/test-support/vaults/segment-dump";
import { loadIndexedBlobText } from "#server/store/blobs/searchable-texts";
import type { CatalogStream } from "#server/store/catalog/catalog";
import { tableName } from "#server/store/catalog/layout";
import type { ReadTransaction } from "#server/store/engine/engine";
import { raw, sql } from "#server/store/engine/sql";
import { openChunkRangeStore } from "#server/store/search/chunk-store";
import type { SegmentRow } from "#server/store/search/segment-table";
import { encodeLength } from "#word-index/segment/field-length";

/** Compares a word index with the records it should contain. */

type Row = SegmentRow & { owner_no: number };

/** Returns what is wrong with the index of a stream, one line each. */
export async function findWordFaults(on: ReadTransaction, stream: CatalogStream): Promise<string[]> {
  if (stream.activeSearchPlan === null) return [];
  const { name, fields, blobFields = [] } = stream.activeSearchPlan;
  const faults: string[] = [];
  const indexed = new Map<string, number>();
  const rows = await on.all<Row>(sql`SELECT * FROM search_segment WHERE index_name = ${name} AND merge IS NULL`);
  for (const row of rows) {
    const deleted = await loadDeleted(on, row);
    const { keys, occurrences } = await dumpSegment(openChunkRangeStore(on, row.owner_no), {
      segmentNo: row.segment_no,
      firstDoc: row.first_doc,
      size: JSON.parse(row.written),
    });
    for (const { doc, field, term, encodedLength, positions } of occurrences) {
      if (deleted.has(doc)) continue;
      const line = formatLine([row.owner_no, row.connection_no, doc, field, term, encodedLength], positions);
      indexed.set(line, (indexed.get(line) ?? 0) + 1);
    }
    faults.push(...findKeyErrors(keys).map((error) => `segment ${row.segment_no}: ${error}`));
  }
  const records = await on.all<{ owner_no: number; connection_no: number; doc: number; data: string }>(
    raw(`SELECT owner_no, connection_no, COALESCE(doc, version) AS doc, data FROM ${tableName(stream.streamNo)}`),
  );
  for (const { owner_no, connection_no, doc, data } of records) {
    const held: JsonObject = JSON.parse(data);
    for (const [n, field] of [...fields, ...blobFields].entries()) {
      const text = n < fields.length ? held[field] : await loadIndexedBlobText(on, owner_no, held, field);
      if (typeof text !== "string") continue;
      for (const line of formatExpected(text, owner_no, connection_no, doc, n)) {
        const times = indexed.get(line) ?? 0;
        if (times !== 1) faults.push(`indexed ${times} times instead of once: ${line}`);
        indexed.delete(line);
      }
    }
  }
  for (const line of indexed.keys()) faults.push(`indexed, but in no record: ${line}`);
  return faults.slice(0, 20);
}

const formatLine = (values: readonly (string | number)[], positions: readonly number[]): string =>
  `${values.join(" ")} ${positions.join(",")}`;

function formatExpected(text: string, owner: number, connection: number, doc: number, field: number): string[] {
  const words = tokenize(text);
  const length = encodeLength(Math.max(0, ...words.map(({ position }) => position + 1)));
  return [...Map.groupBy(words, ({ form }) => form)].map(([form, each]) =>
    formatLine(
      [owner, connection, doc, field, form, length],
      each.map(({ position }) => position),
    ),
  );
}

async function loadDeleted(
  on: ReadTransaction,
  { owner_no, index_name, connection_no, segment_no }: Row,
): Promise<Set<number>> {
  const rows = await on.all<{ doc: number }>(sql`SELECT doc FROM search_gone WHERE owner_no = ${owner_no}
    AND index_name = ${index_name} AND connection_no = ${connection_no} AND before_segment > ${segment_no}`);
  return new Set(rows.map(({ doc }) => doc));
}
