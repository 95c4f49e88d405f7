import type { WriteTransaction } from "../engine/engine.ts";
import { parseStoredJson } from "../engine/json.ts";
import { sql } from "../engine/sql.ts";
import { type MergeState, mergeStep } from "./merge-segments.ts";
import { largestPart, nothingWritten, type Written } from "./segment.ts";
import type { MergeInput } from "./segment-cursor.ts";
import {
  dropSegments,
  forgetGone,
  goneFrom,
  newSegment,
  noteIndexChange,
  type SegmentRow,
  type Shard,
  segmentsOf,
  segmentsWithGone,
} from "./segment-rows.ts";

/** Which segments are merged, and when: a bit with every write, so that no write waits for long and segments stay few. */

/** So many segments of one size become one. */
const mergedAtOnce = 8;
/** Each byte that is added moves so many along; that is enough to keep up, and no single write waits for long. */
const workFactor = 10;
const leastWork = 64 * 1024;
const largestMerge = 50_000_000;
/** A segment of which more is gone is written anew. */
const mostGone = 0.2;

const sizeClass = (docs: number): number => Math.floor(Math.log2(Math.max(1, docs)) / 3);

/** Goes on with merges, smaller ones first, and begins those that are due. */
export async function tidy(on: WriteTransaction, shard: Shard, addedBytes: number): Promise<void> {
  let work = Math.max(leastWork, addedBytes * workFactor);
  for (let rows = await segmentsOf(on, shard); work > 0; rows = await segmentsOf(on, shard)) {
    const output = await nextMerge(on, shard, rows);
    if (output === undefined) return;
    work -= Math.max(1, await goOn(on, shard, output, rows, work));
  }
}

/** A merge of many records takes many writes; those of few do not wait for it, or small segments would pile up meanwhile. */
async function nextMerge(
  on: WriteTransaction,
  shard: Shard,
  rows: readonly SegmentRow[],
): Promise<SegmentRow | undefined> {
  const [begun] = unfinished(rows);
  const ready = due(rows);
  const docs = ready.reduce((sum, row) => sum + leftIn(row), 0);
  return begun !== undefined && (ready.length === 0 || begun.docs <= docs) ? begun : beginMerge(on, shard, ready);
}

const unfinished = (rows: readonly SegmentRow[]): SegmentRow[] =>
  rows.filter(({ merge }) => merge !== null).sort((a, b) => a.docs - b.docs);

/** Segments that nothing is being made of. */
function free(rows: readonly SegmentRow[]): SegmentRow[] {
  const taken = new Set(unfinished(rows).flatMap(({ merge }) => stateOf(merge).inputs));
  return rows.filter(({ segment_no, merge }) => merge === null && !taken.has(segment_no));
}

/** A merge may leave the end of a chunk empty wherever it is paused, so only half of the room is counted on. */
const fitTogether = (rows: readonly SegmentRow[]): boolean =>
  rows.reduce((sum, { written }) => {
    const { postingBytes, positionBytes } = parseStoredJson<Written>(written);
    return sum + Math.max(postingBytes, positionBytes);
  }, 0) <=
  largestPart / 2;

function due(rows: readonly SegmentRow[]): SegmentRow[] {
  const classes = Map.groupBy(free(rows), ({ docs }) => sizeClass(docs));
  for (const size of [...classes.keys()].sort((a, b) => a - b)) {
    const group = classes.get(size) ?? [];
    const docs = group.reduce((sum, row) => sum + row.docs, 0);
    if (group.length >= mergedAtOnce && docs <= largestMerge && fitTogether(group)) return group;
  }
  return free(rows)
    .filter(({ docs, gone }) => gone > docs * mostGone)
    .slice(0, 1);
}

const stateOf = (merge: string | null): MergeState =>
  merge === null ? { inputs: [], after: null, written: nothingWritten, dropped: [] } : parseStoredJson(merge);

async function beginMerge(
  on: WriteTransaction,
  shard: Shard,
  inputs: readonly SegmentRow[],
): Promise<SegmentRow | undefined> {
  if (inputs.length === 0) return undefined;
  const state: MergeState = { ...stateOf(null), inputs: inputs.map(({ segment_no }) => segment_no) };
  const segmentNo = await newSegment(on, shard, {
    docs: inputs.reduce((sum, row) => sum + leftIn(row), 0),
    first: Math.min(...inputs.map(({ first_doc }) => first_doc)),
    last: Math.max(...inputs.map(({ last_doc }) => last_doc)),
    merge: state,
  });
  return on.one<SegmentRow>(sql`SELECT * FROM search_segment WHERE segment_no = ${segmentNo}`);
}

/** Answers how many bytes were written. */
async function goOn(
  on: WriteTransaction,
  shard: Shard,
  output: SegmentRow,
  rows: readonly SegmentRow[],
  mostBytes: number,
): Promise<number> {
  const state = stateOf(output.merge);
  const inputs = rows.filter(({ segment_no }) => state.inputs.includes(segment_no));
  const gone = await goneFrom(on, shard);
  const step = await mergeStep(
    on,
    shard.ownerNo,
    { segmentNo: output.segment_no, firstDoc: output.first_doc },
    inputs.map(
      (row): MergeInput => ({
        segmentNo: row.segment_no,
        firstDoc: row.first_doc,
        written: parseStoredJson(row.written),
        gone: gone(row),
      }),
    ),
    state,
    mostBytes,
  );
  if (!step.isDone) {
    await on.run(
      sql`UPDATE search_segment SET merge = ${JSON.stringify(step.state)} WHERE segment_no = ${output.segment_no}`,
    );
    return step.bytes;
  }
  await dropSegments(on, shard.ownerNo, inputs);
  const { written } = step.state;
  if (written.blocks === 0) await dropSegments(on, shard.ownerNo, [output]);
  else {
    await on.run(sql`UPDATE search_segment SET merge = NULL, written = ${JSON.stringify(written)},
      lengths = ${JSON.stringify(together(inputs))} WHERE segment_no = ${output.segment_no}`);
  }
  await forgetGone(on, shard);
  return step.bytes;
}

function together(rows: readonly SegmentRow[]): number[] {
  const lists = rows.map((row) => parseStoredJson<number[]>(row.lengths));
  const shares = rows.map((row) => leftIn(row) / row.docs);
  return (lists[0] ?? []).map((_, field) =>
    lists.reduce((sum, list, n) => sum + (list[field] ?? 0) * (shares[n] ?? 1), 0),
  );
}

/** How many records of a segment are still there, about: one that may be in several segments is counted in each. */
const leftIn = ({ docs, gone }: SegmentRow): number => Math.max(1, docs - gone);

const sweptBytes = 1024 * 1024;

/** Clears an index of what gone records said, a bit at a time; answers whether that is done. The owners are held. */
export async function sweepIndex(on: WriteTransaction, name: string): Promise<boolean> {
  const row = await on.one<{ owner_no: number; connection_no: number }>(
    sql`SELECT owner_no, connection_no FROM search_gone WHERE index_name = ${name} LIMIT 1`,
  );
  if (row === undefined) return true;
  const shard = { ownerNo: row.owner_no, connectionNo: row.connection_no, index: name };
  const rows = await segmentsOf(on, shard);
  const isFree = new Set(free(rows).map(({ segment_no }) => segment_no));
  const touched = (await segmentsWithGone(on, shard)).filter(({ segment_no }) => isFree.has(segment_no));
  const output =
    unfinished(rows)[0] ?? (await beginMerge(on, shard, fitTogether(touched) ? touched : touched.slice(0, 1)));
  if (output === undefined) await forgetGone(on, shard);
  else await goOn(on, shard, output, await segmentsOf(on, shard), sweptBytes);
  await noteIndexChange(on, shard.ownerNo);
  return false;
}
