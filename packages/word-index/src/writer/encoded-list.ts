import { ByteWriter } from "../segment/bytes.ts";
import { type Postings, readPostings, writePosting } from "../segment/posting-list.ts";

/** The posting list of a term in one segment, still encoded. */
export interface EncodedList {
  readonly docCount: number;
  readonly firstDoc: number;
  readonly lastDoc: number;
  readonly postings: Buffer;
  readonly positions: Buffer;
}

/** Longer lists are split, so that the newest documents of a very common term can be read alone. */
const maxListDocs = 65_536;

/** Removes deleted documents; undefined if no document is left. */
export function removeTombstones(list: EncodedList, tombstones: ReadonlySet<number>): EncodedList | undefined {
  if (tombstones.size === 0) return list;
  const postings = readPostings(list.postings, list.firstDoc, list.docCount);
  if (!postings.docs.some((doc) => tombstones.has(doc))) return list;
  return encodeList(decodeList(postings, list.positions).filter(({ doc }) => !tombstones.has(doc)));
}

/** Merges lists that have no document in common into as few lists as possible, in document order. */
export function mergeLists(lists: readonly EncodedList[]): EncodedList[] {
  const [only] = lists;
  if (lists.length === 1 && only !== undefined) return [only];
  const ordered = [...lists].sort((a, b) => a.firstDoc - b.firstDoc);
  const isDisjoint = ordered.every((list, n) => list.firstDoc > (ordered[n - 1]?.lastDoc ?? -1));
  return isDisjoint ? appendLists(ordered) : interleaveLists(ordered);
}

/** Lists whose document ranges do not overlap: their bytes are copied without decoding. */
function appendLists(ordered: readonly EncodedList[]): EncodedList[] {
  const merged: EncodedList[] = [];
  let group: EncodedList[] = [];
  let docCount = 0;
  for (const list of ordered) {
    if (group.length > 0 && docCount + list.docCount > maxListDocs) {
      merged.push(concatLists(group, docCount));
      [group, docCount] = [[], 0];
    }
    group.push(list);
    docCount += list.docCount;
  }
  merged.push(concatLists(group, docCount));
  return merged;
}

/** The gap of a list's first posting is 0, which is one byte; it is replaced by the gap to the previous list. */
function concatLists(lists: readonly EncodedList[], docCount: number): EncodedList {
  const [first] = lists;
  if (first === undefined) throw new RangeError("There is no posting list to concatenate.");
  if (lists.length === 1) return first;
  const pieces: Buffer[] = [first.postings];
  const gap = new ByteWriter();
  let { lastDoc } = first;
  for (const list of lists.slice(1)) {
    gap.writeNumber((list.firstDoc - lastDoc) * 2 + (list.postings[0] ?? 0));
    pieces.push(gap.take(), list.postings.subarray(1));
    lastDoc = list.lastDoc;
  }
  return {
    docCount,
    firstDoc: first.firstDoc,
    lastDoc,
    postings: Buffer.concat(pieces),
    positions: Buffer.concat(lists.map(({ positions }) => positions)),
  };
}

function interleaveLists(lists: readonly EncodedList[]): EncodedList[] {
  const items = lists
    .flatMap((list) => decodeList(readPostings(list.postings, list.firstDoc, list.docCount), list.positions))
    .sort((a, b) => a.doc - b.doc);
  const merged: EncodedList[] = [];
  for (let n = 0; n < items.length; n += maxListDocs) {
    const list = encodeList(items.slice(n, n + maxListDocs));
    if (list !== undefined) merged.push(list);
  }
  return merged;
}

interface Item {
  readonly doc: number;
  readonly frequency: number;
  readonly length: number;
  readonly positions: Buffer;
}

function decodeList({ docs, frequencies, lengths }: Postings, positions: Buffer): Item[] {
  const items: Item[] = [];
  let at = 0;
  for (let n = 0; n < docs.length; n += 1) {
    const start = at;
    const frequency = frequencies[n] ?? 0;
    // The last byte of each number is below 128.
    for (let left = frequency; left > 0; at += 1) if ((positions[at] ?? 0) < 128) left -= 1;
    items.push({ doc: docs[n] ?? 0, frequency, length: lengths[n] ?? 0, positions: positions.subarray(start, at) });
  }
  return items;
}

function encodeList(items: readonly Item[]): EncodedList | undefined {
  const [first, last] = [items[0], items.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const postings = new ByteWriter();
  let previous = first.doc;
  for (const { doc, frequency, length } of items) {
    writePosting(postings, doc - previous, frequency, length);
    previous = doc;
  }
  return {
    docCount: items.length,
    firstDoc: first.doc,
    lastDoc: last.doc,
    postings: postings.take(),
    positions: Buffer.concat(items.map(({ positions }) => positions)),
  };
}
