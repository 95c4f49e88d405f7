import type { ChunkStore, YieldIfDue } from "../ports.ts";
import { canBeCompound, getKeyField, getKeyTerm, isReversedKey, reverseTerm } from "../segment/keys.ts";
import { type Chunk, emptySize, type SegmentSize } from "../segment/layout.ts";
import { createSegmentWriter } from "../segment/segment-writer.ts";
import { type EncodedList, mergeLists, removeTombstones } from "./encoded-list.ts";
import { type MergeInput, openSegmentCursor, type SegmentCursor } from "./segment-cursor.ts";

/** The progress of a merge. Stored in the vault as JSON, so the names are part of its format. */
export interface MergeState {
  readonly inputs: readonly number[];
  /** The last merged key; null at the start. */
  readonly after: string | null;
  readonly written: SegmentSize;
  /** Long terms of the current field that no document contains any more, so that their reversed keys go too. */
  readonly dropped: readonly string[];
}

export const startMerge = (inputs: readonly number[]): MergeState => ({
  inputs,
  after: null,
  written: emptySize,
  dropped: [],
});

export interface MergeStep {
  readonly state: MergeState;
  readonly isDone: boolean;
  readonly chunks: readonly Chunk[];
  readonly bytes: number;
}

/** Merges about `maxBytes` of the inputs, so that a large merge can be spread over many transactions. */
export async function mergeStep(
  store: ChunkStore,
  output: { readonly segmentNo: number; readonly firstDoc: number },
  inputs: readonly MergeInput[],
  state: MergeState,
  maxBytes: number,
  yieldIfDue: YieldIfDue,
): Promise<MergeStep> {
  const chunks: Chunk[] = [];
  let bytes = 0;
  const writer = createSegmentWriter(output, state.written, (chunk) => {
    chunks.push(chunk);
    bytes += chunk.bytes.length;
  });
  const cursors: SegmentCursor[] = [];
  for (const input of inputs) cursors.push(await openSegmentCursor(store, input, state.after));
  const dropped = new Set(state.dropped);
  let after = state.after;
  let field = after === null ? -1 : getKeyField(after);
  let isDone = false;
  while (bytes < maxBytes) {
    const pause = yieldIfDue();
    if (pause !== undefined) await pause;
    const key = findSmallestKey(cursors);
    if (key === undefined) {
      isDone = true;
      break;
    }
    if (getKeyField(key) !== field) {
      field = getKeyField(key);
      dropped.clear();
    }
    const lists = await takeLists(cursors, key);
    const term = getKeyTerm(key);
    if (isReversedKey(key)) {
      if (!dropped.has(reverseTerm(term))) writer.add({ key, docCount: 0, firstDoc: 0, lastDoc: 0 }, noBytes, noBytes);
    } else if (lists.length === 0) {
      if (canBeCompound(term)) dropped.add(term);
    } else {
      for (const { postings, positions, ...entry } of mergeLists(lists))
        writer.add({ key, ...entry }, postings, positions);
    }
    after = key;
  }
  const written = writer.pause();
  return { state: { ...state, after, written, dropped: [...dropped] }, isDone, chunks, bytes };
}

const noBytes = Buffer.alloc(0);

function findSmallestKey(cursors: readonly SegmentCursor[]): string | undefined {
  let smallest: string | undefined;
  for (const cursor of cursors) {
    const key = cursor.getKey();
    if (key !== undefined && (smallest === undefined || key < smallest)) smallest = key;
  }
  return smallest;
}

/** The lists of a key without deleted documents. Moves all cursors past the key. */
async function takeLists(cursors: readonly SegmentCursor[], key: string): Promise<EncodedList[]> {
  const lists: EncodedList[] = [];
  for (const cursor of cursors) {
    while (cursor.getKey() === key) {
      if (!isReversedKey(key)) {
        const loading = cursor.loadList();
        const list = removeTombstones(loading instanceof Promise ? await loading : loading, cursor.tombstones);
        if (list !== undefined) lists.push(list);
      }
      const moving = cursor.moveNext();
      if (moving !== undefined) await moving;
    }
  }
  return lists;
}
