import { maxPartBytes, type SegmentSize } from "../segment/layout.ts";
import type { MergeState } from "./merge-segments.ts";

/**
 * Which segments to merge. A little work with every write keeps segments few without any write waiting for long.
 */

/** The properties of a segment that decide when it is merged. */
export interface SegmentInfo {
  readonly segmentNo: number;
  readonly docCount: number;
  readonly tombstoneCount: number;
  readonly size: SegmentSize;
  /** The merge that is writing this segment; null once it is complete. */
  readonly merge: MergeState | null;
}

const segmentsPerMerge = 8;
const maxMergeDocs = 50_000_000;
/** A segment with a larger share of deleted documents is rewritten. */
const maxTombstoneShare = 0.2;

/** Bytes merged for each byte added: enough to keep up, while no single write waits for long. */
const mergedBytesPerAddedByte = 10;
const minMergedBytes = 64 * 1024;

export const getMergeBudget = (addedBytes: number): number =>
  Math.max(minMergedBytes, addedBytes * mergedBytesPerAddedByte);

/** An estimate: a document that may be in several segments is counted in each. */
export const countLiveDocs = ({ docCount, tombstoneCount }: SegmentInfo): number =>
  Math.max(1, docCount - tombstoneCount);

export type NextMerge<T> = { readonly resume: T } | { readonly start: readonly T[] } | undefined;

/** The smallest merge goes first: otherwise small segments would pile up while a large merge takes many writes. */
export function chooseMerge<T extends SegmentInfo>(segments: readonly T[]): NextMerge<T> {
  const [unfinished] = listUnfinished(segments);
  const due = chooseInputs(segments);
  const docs = due.reduce((sum, segment) => sum + countLiveDocs(segment), 0);
  if (unfinished !== undefined && (due.length === 0 || unfinished.docCount <= docs)) return { resume: unfinished };
  return due.length === 0 ? undefined : { start: due };
}

/** The next merge that removes tombstones from these segments, or finishes one that has begun. */
export function chooseSweep<T extends SegmentInfo>(
  segments: readonly T[],
  hasTombstones: (segment: T) => boolean,
): NextMerge<T> {
  const [unfinished] = listUnfinished(segments);
  if (unfinished !== undefined) return { resume: unfinished };
  const swept = listFree(segments).filter(hasTombstones);
  if (swept.length === 0) return undefined;
  return { start: fitsOneSegment(swept) ? swept : swept.slice(0, 1) };
}

const listUnfinished = <T extends SegmentInfo>(segments: readonly T[]): T[] =>
  segments.filter(({ merge }) => merge !== null).sort((a, b) => a.docCount - b.docCount);

/** Complete segments that are not being merged. */
function listFree<T extends SegmentInfo>(segments: readonly T[]): T[] {
  const taken = new Set(segments.flatMap(({ merge }) => merge?.inputs ?? []));
  return segments.filter(({ segmentNo, merge }) => merge === null && !taken.has(segmentNo));
}

function chooseInputs<T extends SegmentInfo>(segments: readonly T[]): readonly T[] {
  const free = listFree(segments);
  const classes = Map.groupBy(free, ({ docCount }) => getSizeClass(docCount));
  for (const [, group] of [...classes].sort(([a], [b]) => a - b)) {
    const docs = group.reduce((sum, { docCount }) => sum + docCount, 0);
    if (group.length >= segmentsPerMerge && docs <= maxMergeDocs && fitsOneSegment(group)) return group;
  }
  return free.filter(({ docCount, tombstoneCount }) => tombstoneCount > docCount * maxTombstoneShare).slice(0, 1);
}

const getSizeClass = (docs: number): number => Math.floor(Math.log2(Math.max(1, docs)) / 3);

/** Half of a part is kept free, because every pause of a merge can leave a chunk partly empty. */
const fitsOneSegment = (segments: readonly SegmentInfo[]): boolean =>
  segments.reduce((sum, { size }) => sum + Math.max(size.postingBytes, size.positionBytes), 0) <= maxPartBytes / 2;
