import {
  chooseMerge,
  chooseSweep,
  countLiveDocs,
  getMergeBudget,
  type NextMerge,
  type SegmentInfo,
} from "@pdpp/word-index/writer/merge-policy";
import { mergeStep, startMerge } from "@pdpp/word-index/writer/merge-segments";
import type { WriteTransaction } from "../engine/engine.ts";
import { parseStoredJson } from "../engine/json.ts";
import { sql } from "../engine/sql.ts";
import { yieldToEventLoop } from "../engine/yield-to-event-loop.ts";
import { openChunkRangeStore, writeChunks } from "./chunk-store.ts";
import {
  bumpIndexRevision,
  deleteSegments,
  deleteSpentTombstones,
  insertSegment,
  isSegment,
  listTombstonesIn,
  loadSegmentsWithTombstones,
  loadShardSegments,
  loadTombstones,
  type SegmentRow,
  type Shard,
} from "./segment-table.ts";

/** A segment of the table, as the merge policy sees it. */
interface ShardSegment extends SegmentInfo {
  readonly row: SegmentRow;
}

const makeShardSegment = (row: SegmentRow): ShardSegment => ({
  row,
  segmentNo: row.segment_no,
  docCount: row.docs,
  tombstoneCount: row.gone,
  size: parseStoredJson(row.written),
  merge: row.merge === null ? null : parseStoredJson(row.merge),
});

const loadSegments = async (on: WriteTransaction, shard: Shard): Promise<ShardSegment[]> =>
  (await loadShardSegments(on, shard)).map(makeShardSegment);

/** Merges some segments of a shard that was just written to, as much as the added bytes pay for. */
export async function mergeAfterWrite(on: WriteTransaction, shard: Shard, addedBytes: number): Promise<void> {
  for (let budget = getMergeBudget(addedBytes); budget > 0; ) {
    const segments = await loadSegments(on, shard);
    const next = chooseMerge(segments);
    if (next === undefined) return;
    budget -= Math.max(1, await runMerge(on, shard, segments, next, budget));
  }
}

const sweepBytes = 1024 * 1024;

/** Removes some terms of deleted documents from an index. Returns whether none are left. The caller holds the owners. */
export async function sweepIndex(on: WriteTransaction, index: string): Promise<boolean> {
  const row = await on.one<{ owner_no: number; connection_no: number }>(
    sql`SELECT owner_no, connection_no FROM search_gone WHERE index_name = ${index} LIMIT 1`,
  );
  if (row === undefined) return true;
  const shard = { ownerNo: row.owner_no, connectionNo: row.connection_no, index };
  const segments = await loadSegments(on, shard);
  const withTombstones = new Set((await loadSegmentsWithTombstones(on, shard)).map(({ segment_no }) => segment_no));
  const next = chooseSweep(segments, ({ segmentNo }) => withTombstones.has(segmentNo));
  if (next === undefined) await deleteSpentTombstones(on, shard);
  else await runMerge(on, shard, segments, next, sweepBytes);
  await bumpIndexRevision(on, shard.ownerNo);
  return false;
}

/** Runs one step of a merge. Returns the number of bytes written. */
async function runMerge(
  on: WriteTransaction,
  shard: Shard,
  segments: readonly ShardSegment[],
  next: NonNullable<NextMerge<ShardSegment>>,
  maxBytes: number,
): Promise<number> {
  const output = "resume" in next ? next.resume : await insertMergeOutput(on, shard, next.start);
  const state = output.merge;
  if (state === null) throw new Error(`Segment ${output.segmentNo} is not being merged.`);
  const inputs = segments.filter(({ segmentNo }) => state.inputs.includes(segmentNo));
  const tombstones = await loadTombstones(on, shard);
  const step = await mergeStep(
    openChunkRangeStore(on, shard.ownerNo),
    { segmentNo: output.segmentNo, firstDoc: output.row.first_doc },
    inputs.map(({ row, segmentNo, size }) => ({
      segmentNo,
      firstDoc: row.first_doc,
      size,
      tombstones: listTombstonesIn(row, tombstones),
    })),
    state,
    maxBytes,
    yieldToEventLoop,
  );
  await writeChunks(on, shard.ownerNo, step.chunks);
  if (step.isDone) await finishMerge(on, shard, output, inputs, step.state.written);
  else
    await on.run(
      sql`UPDATE search_segment SET merge = ${JSON.stringify(step.state)} WHERE ${isSegment(shard.ownerNo, output.segmentNo)}`,
    );
  return step.bytes;
}

async function insertMergeOutput(
  on: WriteTransaction,
  shard: Shard,
  inputs: readonly ShardSegment[],
): Promise<ShardSegment> {
  const row = await insertSegment(on, shard, {
    docs: inputs.reduce((sum, segment) => sum + countLiveDocs(segment), 0),
    first: Math.min(...inputs.map((segment) => segment.row.first_doc)),
    last: Math.max(...inputs.map((segment) => segment.row.last_doc)),
    merge: startMerge(inputs.map(({ segmentNo }) => segmentNo)),
  });
  return makeShardSegment(row);
}

async function finishMerge(
  on: WriteTransaction,
  shard: Shard,
  output: ShardSegment,
  inputs: readonly ShardSegment[],
  size: SegmentInfo["size"],
): Promise<void> {
  await deleteSegments(
    on,
    shard.ownerNo,
    inputs.map(({ row }) => row),
  );
  if (size.blocks === 0) await deleteSegments(on, shard.ownerNo, [output.row]);
  else
    await on.run(sql`UPDATE search_segment SET merge = NULL, written = ${JSON.stringify(size)},
      lengths = ${JSON.stringify(estimateLengths(inputs))} WHERE ${isSegment(shard.ownerNo, output.segmentNo)}`);
  await deleteSpentTombstones(on, shard);
}

/** For each field, the words of the inputs, assuming that deleted documents were of average length. */
function estimateLengths(inputs: readonly ShardSegment[]): number[] {
  const lengths = inputs.map(({ row }) => parseStoredJson<number[]>(row.lengths));
  const shares = inputs.map((segment) => countLiveDocs(segment) / segment.docCount);
  return (lengths[0] ?? []).map((_, field) =>
    lengths.reduce((sum, each, n) => sum + (each[field] ?? 0) * (shares[n] ?? 1), 0),
  );
}
