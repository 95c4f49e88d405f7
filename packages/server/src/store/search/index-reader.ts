import { LRUCache } from "lru-cache";
import type { Dialect, ReadTransaction } from "../engine/engine.ts";
import { parseStoredJson } from "../engine/json.ts";
import { sql } from "../engine/sql.ts";
import { asBuffer, bytesIn, spanOf } from "./chunks.ts";
import {
  type Block,
  chunkNo,
  type Entry,
  type PartNo,
  parts,
  placeOf,
  type Range,
  readBlock,
  readFence,
  type Written,
} from "./segment.ts";
import type { SegmentRow } from "./segment-rows.ts";

/** Reading segments. They never change, so what was read of their dictionaries is kept. */

export interface Segment {
  readonly no: number;
  readonly base: number;
  readonly docs: number;
  readonly lengths: readonly number[];
  readonly written: Written;
  /** The records in it that are gone; undefined when none is. */
  readonly gone: ReadonlySet<number> | undefined;
}

/** The segments of an owner at one moment. */
interface OwnerSegments {
  of(index: string, connectionNo: number): readonly Segment[];
  /** How many records a connection has in a stream. */
  records(streamNo: number, connectionNo: number): number;
}

/** A part of a segment that is wanted. */
export interface WantedBytes {
  readonly segment: Segment;
  readonly part: PartNo;
  readonly range: Range;
}

export interface IndexReader {
  segments(on: ReadTransaction, ownerNo: number, revision: number): Promise<OwnerSegments>;
  /** Of each segment, the entries between two keys, the second of which is not among them. */
  entries(on: ReadTransaction, ownerNo: number, wanted: readonly WantedEntries[]): Promise<Entry[][]>;
  bytes(on: ReadTransaction, ownerNo: number, wanted: readonly WantedBytes[]): Promise<Buffer[]>;
}

export interface WantedEntries {
  readonly segment: Segment;
  readonly from: string;
  readonly to: string;
}

const keptBlocks = 4000;
const keptFences = 2000;
const keptOwners = 200;
/** Words that begin alike fill no more than so many blocks of what is looked at. */
const mostBlocks = 100;

export function indexReader(dialect: Dialect): IndexReader {
  const owners = new LRUCache<number, OwnerState>({ max: keptOwners });
  const fences = new LRUCache<number, readonly string[]>({ max: keptFences });
  const blocks = new LRUCache<number, Block>({ max: keptBlocks });

  const fetch = async (
    on: ReadTransaction,
    ownerNo: number,
    numbers: ReadonlySet<number>,
  ): Promise<Map<number, Buffer>> => {
    if (numbers.size === 0) return new Map();
    const rows = await on.all<{ chunk_no: number; bytes: Uint8Array }>(
      sql`SELECT chunk_no, bytes FROM search_chunk WHERE owner_no = ${ownerNo} AND ${dialect.amongNumbers("chunk_no", [...numbers])}`,
    );
    return new Map(rows.map(({ chunk_no, bytes }) => [chunk_no, asBuffer(bytes)]));
  };

  /** What is in use is held here: a cache may drop anything at any time. */
  const loadFences = async (
    on: ReadTransaction,
    ownerNo: number,
    wanted: readonly WantedEntries[],
  ): Promise<ReadonlyMap<number, readonly string[]>> => {
    const inUse = new Map<number, readonly string[]>();
    const missing = new Map<number, Segment>();
    for (const { segment } of wanted) {
      if (inUse.has(segment.no) || missing.has(segment.no)) continue;
      const fence = fences.get(segment.no);
      if (fence === undefined) missing.set(segment.no, segment);
      else inUse.set(segment.no, fence);
    }
    if (missing.size === 0) return inUse;
    const numbers = new Set<number>();
    const last = ({ written }: Segment) => spanOf({ at: 0, size: written.fenceBytes }).to;
    for (const segment of missing.values())
      for (let n = 0; n <= last(segment); n += 1) numbers.add(chunkNo(segment.no, parts.fence, n));
    const held = await fetch(on, ownerNo, numbers);
    for (const segment of missing.values()) {
      const chunks: Buffer[] = [];
      for (let n = 0; n <= last(segment); n += 1) {
        const chunk = held.get(chunkNo(segment.no, parts.fence, n));
        if (chunk !== undefined) chunks.push(chunk);
      }
      const fence = readFence(chunks);
      inUse.set(segment.no, fence);
      fences.set(segment.no, fence);
    }
    return inUse;
  };

  /** The blocks in which keys from one to another can be. */
  const blocksOf = (fence: readonly string[], { from, to }: WantedEntries): { first: number; last: number } => {
    const first = Math.max(0, placeOf(fence, from) - 1);
    return { first, last: Math.min(placeOf(fence, to) - 1, first + mostBlocks - 1) };
  };

  return {
    async segments(on, ownerNo, revision) {
      const held = owners.get(ownerNo);
      if (held?.revision === revision) return held;
      // A reader of an earlier state knows nothing from a later one: what was forgotten since then still counts for it.
      const loaded = await loadOwner(on, ownerNo, revision, held && held.revision < revision ? held : undefined);
      if ((owners.get(ownerNo)?.revision ?? -1) < revision) owners.set(ownerNo, loaded);
      return loaded;
    },

    async entries(on, ownerNo, wanted) {
      const inUse = await loadFences(on, ownerNo, wanted);
      const missing = new Map<number, Segment>();
      const read = new Map<number, Block>();
      const spans = wanted.map((each) => blocksOf(inUse.get(each.segment.no) ?? [], each));
      for (const [i, { segment }] of wanted.entries()) {
        const { first, last } = spans[i] ?? { first: 0, last: -1 };
        for (let n = first; n <= last; n += 1) {
          const no = chunkNo(segment.no, parts.dictionary, n);
          if (read.has(no) || missing.has(no)) continue;
          const block = blocks.get(no);
          if (block === undefined) missing.set(no, segment);
          else read.set(no, block);
        }
      }
      for (const [no, bytes] of await fetch(on, ownerNo, new Set(missing.keys()))) {
        const block = readBlock(bytes, missing.get(no)?.base ?? 0);
        read.set(no, block);
        blocks.set(no, block);
      }
      return wanted.map(({ segment, from, to }, i) => {
        const { first, last } = spans[i] ?? { first: 0, last: -1 };
        const found: Entry[] = [];
        for (let n = first; n <= last; n += 1) {
          const no = chunkNo(segment.no, parts.dictionary, n);
          const block = read.get(no);
          if (block === undefined) throw new Error(`segment ${segment.no} lacks block ${n}`);
          for (let place = placeOf(block.keys, from); place < block.entries.length; place += 1) {
            const entry = block.entries[place];
            if (entry === undefined || entry.key >= to) break;
            found.push(entry);
          }
        }
        return found;
      });
    },

    async bytes(on, ownerNo, wanted) {
      const numbers = new Set<number>();
      for (const { segment, part, range } of wanted) {
        if (range.size === 0) continue;
        const { from, to } = spanOf(range);
        for (let n = from; n <= to; n += 1) numbers.add(chunkNo(segment.no, part, n));
      }
      const held = await fetch(on, ownerNo, numbers);
      return wanted.map(({ segment, part, range }) => bytesIn(range, (n) => held.get(chunkNo(segment.no, part, n))));
    },
  };
}

interface OwnerState extends OwnerSegments {
  readonly revision: number;
  readonly lastGone: number;
  readonly gone: readonly GoneMark[];
}

interface GoneMark {
  readonly gone_no: number;
  readonly index_name: string;
  readonly connection_no: number;
  readonly doc: number;
  readonly before_segment: number;
}

const none: readonly Segment[] = [];
const shardKey = (index: string, connectionNo: number): string => `${index} ${connectionNo}`;

/** Notes of gone records are only ever added, or forgotten with the segments that they are about. */
async function loadOwner(
  on: ReadTransaction,
  ownerNo: number,
  revision: number,
  before: OwnerState | undefined,
): Promise<OwnerState> {
  const rows = await on.all<SegmentRow>(
    sql`SELECT * FROM search_segment WHERE owner_no = ${ownerNo} AND merge IS NULL ORDER BY segment_no`,
  );
  const added = await on.all<GoneMark>(
    sql`SELECT gone_no, index_name, connection_no, doc, before_segment FROM search_gone
      WHERE owner_no = ${ownerNo} AND gone_no > ${before?.lastGone ?? 0} ORDER BY gone_no`,
  );
  const counts = await on.all<{ stream_no: number; connection_no: number; record_count: number }>(
    sql`SELECT stream_no, connection_no, record_count FROM stream_stats WHERE owner_no = ${ownerNo}`,
  );
  const records = new Map(counts.map((row) => [`${row.stream_no} ${row.connection_no}`, row.record_count]));
  const shards = Map.groupBy(rows, ({ index_name, connection_no }) => shardKey(index_name, connection_no));
  const oldest = new Map([...shards].map(([key, segments]) => [key, segments[0]?.segment_no ?? 0]));
  const gone = [...(before?.gone ?? []), ...added].filter((mark) => {
    const first = oldest.get(shardKey(mark.index_name, mark.connection_no));
    return first !== undefined && first < mark.before_segment;
  });
  const goneOf = Map.groupBy(gone, ({ index_name, connection_no }) => shardKey(index_name, connection_no));
  const made = new Map<string, readonly Segment[]>();
  for (const [key, segments] of shards) {
    const marks = goneOf.get(key) ?? [];
    made.set(
      key,
      segments.map((row) => segmentFrom(row, marks)),
    );
  }
  return {
    revision,
    lastGone: added.at(-1)?.gone_no ?? before?.lastGone ?? 0,
    gone,
    records: (streamNo, connectionNo) => records.get(`${streamNo} ${connectionNo}`) ?? 0,
    of: (index, connectionNo) => made.get(shardKey(index, connectionNo)) ?? none,
  };
}

function segmentFrom(row: SegmentRow, marks: readonly GoneMark[]): Segment {
  const gone = marks.filter(
    ({ doc, before_segment }) => row.segment_no < before_segment && row.first_doc <= doc && doc <= row.last_doc,
  );
  return {
    no: row.segment_no,
    base: row.first_doc,
    docs: row.docs,
    lengths: parseStoredJson(row.lengths),
    written: parseStoredJson(row.written),
    gone: gone.length === 0 ? undefined : new Set(gone.map(({ doc }) => doc)),
  };
}
