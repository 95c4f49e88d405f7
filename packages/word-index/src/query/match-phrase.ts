import { PositionReader, type Postings } from "../segment/posting-list.ts";

/** The lists of a word in one field of one segment, in document order, and the bytes of their positions. */
export type PhraseWord = readonly { readonly postings: Postings; readonly positions: Buffer }[];

/** The documents in which the words follow each other. The rarest word leads, and the positions of others are skipped. */
export function matchPhrase(words: readonly PhraseWord[]): Postings | undefined {
  const cursors = words.map((word) => new WordCursor(word));
  const lead = cursors.reduce((rarest, cursor) => (cursor.docCount < rarest.docCount ? cursor : rarest));
  const others = cursors.filter((cursor) => cursor !== lead);
  const docs: number[] = [];
  const frequencies: number[] = [];
  const lengths: number[] = [];
  for (let doc = lead.doc; doc !== noDoc; ) {
    let next = doc;
    for (const other of others) {
      next = other.advanceTo(doc);
      if (next !== doc) break;
    }
    if (next === doc) {
      const frequency = countConsecutive(cursors.map((cursor) => cursor.readPositions()));
      if (frequency > 0) {
        docs.push(doc);
        frequencies.push(frequency);
        lengths.push(lead.length);
      }
      next += 1;
    }
    doc = lead.advanceTo(next);
  }
  if (docs.length === 0) return undefined;
  return {
    docs: Float64Array.from(docs),
    frequencies: Uint32Array.from(frequencies),
    lengths: Uint8Array.from(lengths),
  };
}

const noDoc = Number.POSITIVE_INFINITY;

/** Steps through the documents of a word. */
class WordCursor {
  readonly docCount: number;
  readonly #lists: PhraseWord;
  readonly #readers: readonly PositionReader[];
  #list = 0;
  #posting = 0;

  constructor(lists: PhraseWord) {
    this.docCount = lists.reduce((sum, { postings }) => sum + postings.docs.length, 0);
    this.#lists = lists;
    this.#readers = lists.map(({ postings, positions }) => new PositionReader(positions, postings));
  }

  get doc(): number {
    return this.#lists[this.#list]?.postings.docs[this.#posting] ?? noDoc;
  }

  get length(): number {
    return this.#lists[this.#list]?.postings.lengths[this.#posting] ?? 0;
  }

  /** Moves to the first document that is not before `doc`, and returns it. */
  advanceTo(doc: number): number {
    for (; this.#list < this.#lists.length; this.#list += 1, this.#posting = 0) {
      const docs = this.#lists[this.#list]?.postings.docs;
      if (docs === undefined) break;
      this.#posting = findDoc(docs, doc, this.#posting);
      const found = docs[this.#posting];
      if (found !== undefined) return found;
    }
    return noDoc;
  }

  readPositions(): Uint32Array {
    const reader = this.#readers[this.#list];
    if (reader === undefined) throw new RangeError("There are no more documents.");
    return reader.read(this.#posting);
  }
}

/** The index of the first document that is not before `doc`, from `start`: in doubling steps, then by halves. */
export function findDoc(docs: Float64Array, doc: number, start: number): number {
  if ((docs[start] ?? noDoc) >= doc) return start;
  let step = 1;
  let low = start;
  while ((docs[low + step] ?? noDoc) < doc) {
    low += step;
    step *= 2;
  }
  let high = Math.min(low + step, docs.length);
  low += 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((docs[middle] ?? noDoc) < doc) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How often words follow each other in a document, given the positions of each. */
function countConsecutive(words: readonly Uint32Array[]): number {
  const [first = new Uint32Array(0)] = words;
  const places = new Uint32Array(words.length);
  let count = 0;
  for (const position of first) {
    let isMatch = true;
    for (let n = 1; n < words.length && isMatch; n += 1) {
      const positions = words[n] ?? first;
      let place = places[n] ?? 0;
      while ((positions[place] ?? noDoc) < position + n) place += 1;
      places[n] = place;
      isMatch = positions[place] === position + n;
    }
    if (isMatch) count += 1;
  }
  return count;
}
