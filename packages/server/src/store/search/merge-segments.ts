import type { WriteTransaction } from "../engine/engine.ts";
import { turns } from "../engine/turns.ts";
import { ByteWriter } from "./bytes.ts";
import { writeChunks } from "./chunks.ts";
import { readPostings, writePosting } from "./postings.ts";
import {
  backwards,
  type Chunk,
  fieldOfKey,
  isBackward,
  mayBeCompound,
  segmentWriter,
  type Written,
} from "./segment.ts";
import { type Cursor, type List, type MergeInput, openCursor } from "./segment-cursor.ts";

/** Several segments become one, a bit at a time: what was written in one transaction is where the next one goes on. */

/** How far a merge has come. */
export interface MergeState {
  readonly inputs: readonly number[];
  /** The last key that is done; null at the beginning. */
  readonly after: string | null;
  readonly written: Written;
  /** Long words of the field at hand that no record has any more. */
  readonly dropped: readonly string[];
}

/** A word is cut into lists of so many records, so that of a very common one the newest can be read alone. */
const listRecords = 65_536;

/** Goes on with a merge; answers how far it came, and whether that is the end. */
export async function mergeStep(
  on: WriteTransaction,
  ownerNo: number,
  output: { readonly segmentNo: number; readonly firstDoc: number },
  inputs: readonly MergeInput[],
  state: MergeState,
  mostBytes: number,
): Promise<{ state: MergeState; isDone: boolean; bytes: number }> {
  const chunks: Chunk[] = [];
  let bytes = 0;
  const writer = segmentWriter(output.segmentNo, output.firstDoc, state.written, (chunk) => {
    chunks.push(chunk);
    bytes += chunk.bytes.length;
  });
  const cursors: Cursor[] = [];
  for (const input of inputs) cursors.push(await openCursor(on, ownerNo, input, state.after));
  const dropped = new Set(state.dropped);
  let after = state.after;
  let field = after === null ? -1 : fieldOfKey(after);
  let isDone = false;
  const turn = turns();
  while (bytes < mostBytes) {
    const others = turn();
    if (others !== undefined) await others;
    const key = smallest(cursors);
    if (key === undefined) {
      isDone = true;
      break;
    }
    if (fieldOfKey(key) !== field) {
      field = fieldOfKey(key);
      dropped.clear();
    }
    const lists: List[] = [];
    for (const cursor of cursors) {
      while (cursor.key() === key) {
        if (!isBackward(key)) {
          const held = cursor.list();
          const list = withoutGone(held instanceof Promise ? await held : held, cursor.gone);
          if (list !== undefined) lists.push(list);
        }
        const moved = cursor.next();
        if (moved !== undefined) await moved;
      }
    }
    if (isBackward(key)) {
      if (!dropped.has(backwards(key.slice(1)))) writer.add({ key, count: 0, first: 0, last: 0 }, nothing, nothing);
    } else if (lists.length === 0) {
      if (mayBeCompound(key.slice(1))) dropped.add(key.slice(1));
    } else {
      for (const { postings, positions, ...entry } of joined(lists)) writer.add({ key, ...entry }, postings, positions);
    }
    after = key;
  }
  const written = writer.pause();
  await writeChunks(on, ownerNo, chunks);
  return { state: { ...state, after, written, dropped: [...dropped] }, isDone, bytes };
}

const nothing = Buffer.alloc(0);

function smallest(cursors: readonly Cursor[]): string | undefined {
  let least: string | undefined;
  for (const cursor of cursors) {
    const key = cursor.key();
    if (key !== undefined && (least === undefined || key < least)) least = key;
  }
  return least;
}

/** A list without the records that are gone; undefined when none is left. */
function withoutGone(list: List, gone: ReadonlySet<number>): List | undefined {
  if (gone.size === 0) return list;
  const { docs, times, lengths } = readPostings(list.postings, list.first, list.count);
  if (!docs.some((doc) => gone.has(doc))) return list;
  return written(itemsOf({ docs, times, lengths }, list.positions).filter(({ doc }) => !gone.has(doc)));
}

interface Item {
  readonly doc: number;
  readonly times: number;
  readonly length: number;
  readonly positions: Buffer;
}

function itemsOf({ docs, times, lengths }: ReturnType<typeof readPostings>, positions: Buffer): Item[] {
  const items: Item[] = [];
  let at = 0;
  for (let n = 0; n < docs.length; n += 1) {
    const start = at;
    for (let left = times[n] ?? 0; left > 0; at += 1) if ((positions[at] ?? 0) < 128) left -= 1;
    items.push({
      doc: docs[n] ?? 0,
      times: times[n] ?? 0,
      length: lengths[n] ?? 0,
      positions: positions.subarray(start, at),
    });
  }
  return items;
}

function written(items: readonly Item[]): List | undefined {
  const [first, last] = [items[0], items.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const postings = new ByteWriter();
  let before = first.doc;
  for (const { doc, times, length } of items) {
    writePosting(postings, doc - before, times, length);
    before = doc;
  }
  return {
    count: items.length,
    first: first.doc,
    last: last.doc,
    postings: postings.take(),
    positions: Buffer.concat(items.map(({ positions }) => positions)),
  };
}

/** The lists as few; in order of their records, none of which stands in two. */
function joined(lists: readonly List[]): List[] {
  const [only] = lists;
  if (lists.length === 1 && only !== undefined) return [only];
  const ordered = [...lists].sort((a, b) => a.first - b.first);
  const areApart = ordered.every((list, n) => list.first > (ordered[n - 1]?.last ?? -1));
  if (!areApart) return sorted(ordered);
  const made: List[] = [];
  let group: List[] = [];
  let count = 0;
  for (const list of ordered) {
    if (group.length > 0 && count + list.count > listRecords) {
      made.push(inARow(group, count));
      [group, count] = [[], 0];
    }
    group.push(list);
    count += list.count;
  }
  made.push(inARow(group, count));
  return made;
}

/** The first distance of a list is none, one byte; behind another list it is the way from that one's last record. */
function inARow(lists: readonly List[], count: number): List {
  const [first] = lists;
  if (first === undefined) throw new Error("no list to join");
  if (lists.length === 1) return first;
  const pieces: Buffer[] = [first.postings];
  const seam = new ByteWriter();
  let last = first.last;
  for (const list of lists.slice(1)) {
    seam.number((list.first - last) * 2 + (list.postings[0] ?? 0));
    pieces.push(seam.take(), list.postings.subarray(1));
    last = list.last;
  }
  return {
    count,
    first: first.first,
    last,
    postings: Buffer.concat(pieces),
    positions: Buffer.concat(lists.map(({ positions }) => positions)),
  };
}

/** Lists whose records lie between each other's. */
function sorted(lists: readonly List[]): List[] {
  const items = lists
    .flatMap((list) => itemsOf(readPostings(list.postings, list.first, list.count), list.positions))
    .sort((a, b) => a.doc - b.doc);
  const made: List[] = [];
  for (let n = 0; n < items.length; n += listRecords) {
    const list = written(items.slice(n, n + listRecords));
    if (list !== undefined) made.push(list);
  }
  return made;
}
