import type { PostingList } from "../query/posting-lists.ts";

/** Gives each matching document of a source a slot: an index into arrays of scores and counts. */
export interface DocSlots {
  /** The document of each slot, including removed ones. */
  readonly docs: number[];
  add(doc: number): void;
  remove(doc: number): void;
  /** The slot of a document; -1 if it was removed or never added. */
  getSlot(doc: number): number;
}

/** A map is fast enough for few documents, and the only choice if their numbers are far apart. */
const maxMapDocs = 20_000;
export const maxArraySpan = 32_000_000;

/** For documents of these lists only. */
export function createDocSlots(lists: readonly PostingList[], postingCount: number): DocSlots {
  let [first, last] = [Number.POSITIVE_INFINITY, 0];
  for (const { docs } of lists) {
    first = Math.min(first, docs[0] ?? first);
    last = Math.max(last, docs[docs.length - 1] ?? 0);
  }
  return postingCount <= maxMapDocs || last - first > maxArraySpan ? createMapSlots() : createArraySlots(first, last);
}

function createMapSlots(): DocSlots {
  const docs: number[] = [];
  const slots = new Map<number, number>();
  return {
    docs,
    add(doc) {
      if (slots.has(doc)) return;
      slots.set(doc, docs.length);
      docs.push(doc);
    },
    remove(doc) {
      if (slots.has(doc)) slots.set(doc, -1);
    },
    getSlot: (doc) => slots.get(doc) ?? -1,
  };
}

function createArraySlots(first: number, last: number): DocSlots {
  const docs: number[] = [];
  // Slot + 1, so that 0 means none and the array needs no initialization.
  const slots = new Int32Array(last - first + 1);
  return {
    docs,
    add(doc) {
      if ((slots[doc - first] ?? 0) !== 0) return;
      docs.push(doc);
      slots[doc - first] = docs.length;
    },
    remove(doc) {
      slots[doc - first] = 0;
    },
    getSlot: (doc) => (slots[doc - first] ?? 0) - 1,
  };
}
