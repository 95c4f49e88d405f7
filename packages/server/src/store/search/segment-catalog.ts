import type { Segment } from "@pdpp/word-index/ports";
import { createDictionaryReader, type DictionaryReader } from "@pdpp/word-index/query/dictionary-reader";
import { LRUCache } from "lru-cache";
import type { ReadTransaction } from "../engine/engine.ts";
import { parseStoredJson } from "../engine/json.ts";
import { sql } from "../engine/sql.ts";
import { listTombstonesIn, type SegmentRow, type Tombstones } from "./segment-table.ts";

export interface WordIndex {
  readonly dictionaries: DictionaryReader;
  /** The segments of an owner in the state of the vault that `on` reads, which has this index revision. */
  loadSegments(on: ReadTransaction, ownerNo: number, revision: number): Promise<OwnerSegments>;
}

interface OwnerSegments {
  getSegments(index: string, connectionNo: number): readonly Segment[];
  countRecords(streamNo: number, connectionNo: number): number;
}

const maxCachedOwners = 200;

export function openWordIndex(): WordIndex {
  const owners = new LRUCache<number, LoadedOwner>({ max: maxCachedOwners });
  return {
    dictionaries: createDictionaryReader(),
    async loadSegments(on, ownerNo, revision) {
      const cached = owners.get(ownerNo);
      if (cached?.revision === revision) return cached;
      // A reader of an older state must not start from a newer one, which has dropped tombstones that it still needs.
      const base = cached && cached.revision < revision ? cached : undefined;
      const loaded = await loadOwner(on, ownerNo, revision, base);
      if ((owners.get(ownerNo)?.revision ?? -1) < revision) owners.set(ownerNo, loaded);
      return loaded;
    },
  };
}

interface LoadedOwner extends OwnerSegments {
  readonly revision: number;
  readonly lastTombstoneNo: number;
  readonly tombstones: readonly TombstoneRow[];
}

interface ShardColumns {
  readonly index_name: string;
  readonly connection_no: number;
}

interface TombstoneRow extends ShardColumns {
  readonly gone_no: number;
  readonly doc: number;
  readonly before_segment: number;
}

const makeShardKey = ({ index_name, connection_no }: ShardColumns): string => `${index_name} ${connection_no}`;

/** Loads only new tombstones: rows are never changed, and deleted only together with their segments. */
async function loadOwner(
  on: ReadTransaction,
  ownerNo: number,
  revision: number,
  base: LoadedOwner | undefined,
): Promise<LoadedOwner> {
  const rows = await on.all<SegmentRow>(
    sql`SELECT * FROM search_segment WHERE owner_no = ${ownerNo} AND merge IS NULL ORDER BY segment_no`,
  );
  const added = await on.all<TombstoneRow>(
    sql`SELECT gone_no, index_name, connection_no, doc, before_segment FROM search_gone
      WHERE owner_no = ${ownerNo} AND gone_no > ${base?.lastTombstoneNo ?? 0} ORDER BY gone_no`,
  );
  const counts = await on.all<{ stream_no: number; connection_no: number; record_count: number }>(
    sql`SELECT stream_no, connection_no, record_count FROM stream_stats WHERE owner_no = ${ownerNo}`,
  );
  const recordCounts = new Map(counts.map((row) => [`${row.stream_no} ${row.connection_no}`, row.record_count]));
  const rowsByShard = Map.groupBy(rows, makeShardKey);
  const tombstones = [...(base?.tombstones ?? []), ...added].filter((tombstone) => {
    const oldest = rowsByShard.get(makeShardKey(tombstone))?.[0];
    return oldest !== undefined && oldest.segment_no < tombstone.before_segment;
  });
  const tombstonesByShard = Map.groupBy(tombstones, makeShardKey);
  const segments = new Map<string, readonly Segment[]>();
  for (const [key, own] of rowsByShard) {
    const deleted = groupTombstones(tombstonesByShard.get(key) ?? []);
    segments.set(
      key,
      own.map((row) => makeSegment(row, deleted)),
    );
  }
  return {
    revision,
    lastTombstoneNo: added.at(-1)?.gone_no ?? base?.lastTombstoneNo ?? 0,
    tombstones,
    countRecords: (streamNo, connectionNo) => recordCounts.get(`${streamNo} ${connectionNo}`) ?? 0,
    getSegments: (index, connectionNo) =>
      segments.get(makeShardKey({ index_name: index, connection_no: connectionNo })) ?? noSegments,
  };
}

const noSegments: readonly Segment[] = [];

const groupTombstones = (rows: readonly TombstoneRow[]): Tombstones[] =>
  [...Map.groupBy(rows, (row) => row.before_segment)].map(([before_segment, own]) => ({
    before_segment,
    docs: own.map(({ doc }) => doc),
  }));

function makeSegment(row: SegmentRow, deleted: readonly Tombstones[]): Segment {
  const tombstones = listTombstonesIn(row, deleted);
  return {
    no: row.segment_no,
    firstDoc: row.first_doc,
    docCount: row.docs,
    fieldLengths: parseStoredJson(row.lengths),
    size: parseStoredJson(row.written),
    tombstones: tombstones.size === 0 ? undefined : tombstones,
  };
}
