import { forEachWord } from "@pdpp/language/words/tokenize";
import type { YieldIfDue } from "../ports.ts";
import { requireItem } from "../require-item.ts";
import { ByteWriter } from "../segment/bytes.ts";
import { encodeLength } from "../segment/field-length.ts";
import { canBeCompound, makeKey, makeReversedKey, reverseTerm } from "../segment/keys.ts";
import { type Chunk, emptySize, type SegmentSize } from "../segment/layout.ts";
import { writePosting } from "../segment/posting-list.ts";
import { createSegmentWriter } from "../segment/segment-writer.ts";

export interface NewDocument {
  readonly doc: number;
  /** The text of each field; null if it has none. */
  readonly texts: readonly (string | null)[];
}

export interface BuiltSegment {
  readonly chunks: readonly Chunk[];
  readonly size: SegmentSize;
  /** For each field, the number of words in all documents together. */
  readonly fieldLengths: readonly number[];
}

export async function buildSegment(
  segmentNo: number,
  fieldCount: number,
  documents: readonly NewDocument[],
  yieldIfDue: YieldIfDue,
): Promise<BuiltSegment> {
  const chunks: Chunk[] = [];
  const firstDoc = documents[0]?.doc ?? 0;
  const writer = createSegmentWriter({ segmentNo, firstDoc }, emptySize, (chunk) => chunks.push(chunk));
  const fields: FieldTokens[] = [];
  for (let n = 0; n < fieldCount; n += 1) fields.push(await tokenizeField(n, documents, yieldIfDue));
  const postings = new ByteWriter();
  const positions = new ByteWriter();
  for (const [n, field] of fields.entries()) {
    const terms = [...field.termNos.keys()].sort();
    const { starts, tokens } = groupByTerm(field);
    for (const term of terms) {
      const pause = yieldIfDue();
      if (pause !== undefined) await pause;
      const termNo = requireItem(field.termNos.get(term));
      const termTokens = tokens.subarray(starts[termNo], starts[termNo + 1]);
      const entry = writeTerm(field, termTokens, documents, postings, positions);
      writer.add({ key: makeKey(n, term), ...entry }, postings.drain(), positions.drain());
    }
    for (const key of listReversedKeys(n, terms))
      writer.add({ key, docCount: 0, firstDoc: 0, lastDoc: 0 }, noBytes, noBytes);
  }
  return {
    chunks,
    size: writer.pause(),
    fieldLengths: fields.map(({ lengths }) => lengths.reduce((sum, length) => sum + length, 0)),
  };
}

const noBytes = new Uint8Array(0);

const listReversedKeys = (field: number, terms: readonly string[]): string[] =>
  terms
    .filter(canBeCompound)
    .map((term) => makeReversedKey(field, reverseTerm(term)))
    .sort();

/** The tokens of one field of all documents. Parallel arrays, because a batch can have millions of tokens. */
interface FieldTokens {
  readonly termNos: Map<string, number>;
  readonly count: number;
  /** For each token: its term, the index of its document in the batch, and its position. */
  readonly terms: Uint32Array;
  readonly docs: Uint32Array;
  readonly positions: Uint32Array;
  readonly lengths: Uint32Array;
}

const minCapacity = 4096;
/** A low estimate with the space after the word, so that the arrays rarely have to grow. */
const charsPerWord = 5;

async function tokenizeField(
  field: number,
  documents: readonly NewDocument[],
  yieldIfDue: YieldIfDue,
): Promise<FieldTokens> {
  const termNos = new Map<string, number>();
  const lengths = new Uint32Array(documents.length);
  const chars = documents.reduce((sum, { texts }) => sum + (texts[field]?.length ?? 0), 0);
  const capacity = Math.max(minCapacity, Math.ceil(chars / charsPerWord));
  let [terms, docs, positions] = [new Uint32Array(capacity), new Uint32Array(capacity), new Uint32Array(capacity)];
  let count = 0;
  for (const [doc, { texts }] of documents.entries()) {
    const text = texts[field];
    if (typeof text !== "string") continue;
    const pause = yieldIfDue();
    if (pause !== undefined) await pause;
    forEachWord(text, (term, _start, _end, position) => {
      let termNo = termNos.get(term);
      if (termNo === undefined) {
        termNo = termNos.size;
        termNos.set(term, termNo);
      }
      if (count === terms.length) [terms, docs, positions] = [grow(terms), grow(docs), grow(positions)];
      terms[count] = termNo;
      docs[count] = doc;
      positions[count] = position;
      count += 1;
      lengths[doc] = position + 1;
    });
  }
  return { termNos, count, terms, docs, positions, lengths };
}

function grow(list: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(list.length * 2);
  larger.set(list);
  return larger;
}

/** Counting sort: the tokens of term `t` are `tokens[starts[t]]` to `tokens[starts[t + 1]]`. */
function groupByTerm({ termNos, count, terms }: FieldTokens): { starts: Uint32Array; tokens: Uint32Array } {
  const starts = new Uint32Array(termNos.size + 1);
  for (let token = 0; token < count; token += 1) {
    const next = (terms[token] ?? 0) + 1;
    starts[next] = (starts[next] ?? 0) + 1;
  }
  for (let term = 1; term < starts.length; term += 1) starts[term] = (starts[term] ?? 0) + (starts[term - 1] ?? 0);
  const ends = starts.slice();
  const tokens = new Uint32Array(count);
  for (let token = 0; token < count; token += 1) {
    const term = terms[token] ?? 0;
    const end = ends[term] ?? 0;
    tokens[end] = token;
    ends[term] = end + 1;
  }
  return { starts, tokens };
}

function writeTerm(
  { docs, positions, lengths }: FieldTokens,
  tokens: Uint32Array,
  documents: readonly NewDocument[],
  toPostings: ByteWriter,
  toPositions: ByteWriter,
): { docCount: number; firstDoc: number; lastDoc: number } {
  const firstDoc = documents[docs[tokens[0] ?? 0] ?? 0]?.doc ?? 0;
  let [docCount, lastDoc] = [0, firstDoc];
  for (let from = 0; from < tokens.length; ) {
    const n = docs[tokens[from] ?? 0] ?? 0;
    let [to, previous] = [from, 0];
    for (; to < tokens.length && docs[tokens[to] ?? 0] === n; to += 1) {
      const position = positions[tokens[to] ?? 0] ?? 0;
      toPositions.writeNumber(position - previous);
      previous = position;
    }
    const doc = documents[n]?.doc ?? 0;
    writePosting(toPostings, doc - lastDoc, to - from, encodeLength(lengths[n] ?? 0));
    lastDoc = doc;
    docCount += 1;
    from = to;
  }
  return { docCount, firstDoc, lastDoc };
}
