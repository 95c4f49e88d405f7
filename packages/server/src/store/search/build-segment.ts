import { eachWord } from "@pdpp/language/words/words";
import { turns } from "../engine/turns.ts";
import { ByteWriter, lengthCode } from "./bytes.ts";
import { writePosting } from "./postings.ts";
import {
  backwardKey,
  type Chunk,
  forwardKey,
  mayBeCompound,
  nothingWritten,
  segmentWriter,
  type Written,
} from "./segment.ts";

/** The words of a batch of records, as one segment. */

export interface NewDocument {
  readonly doc: number;
  /** The text of each field; null where there is none. */
  readonly texts: readonly (string | null)[];
}

/** The words of one field: each word has a number, and each place of a word is one in three lists of numbers. */
interface Field {
  readonly numbers: Map<string, number>;
  readonly places: number;
  /** By place: which word, in which record of the batch, and the how-manieth word of it. */
  readonly words: Uint32Array;
  readonly docs: Uint32Array;
  readonly positions: Uint32Array;
  /** How many words each record of the batch has. */
  readonly lengths: Uint32Array;
}

export interface BuiltSegment {
  readonly chunks: readonly Chunk[];
  readonly written: Written;
  /** Of each field, how many words all records have together. */
  readonly lengths: readonly number[];
}

/** The documents come in order. */
export async function buildSegment(
  segmentNo: number,
  width: number,
  documents: readonly NewDocument[],
): Promise<BuiltSegment> {
  const turn = turns();
  const chunks: Chunk[] = [];
  const base = documents[0]?.doc ?? 0;
  const writer = segmentWriter(segmentNo, base, nothingWritten, (chunk) => chunks.push(chunk));
  const fields: Field[] = [];
  for (let n = 0; n < width; n += 1) fields.push(await readField(n, documents, turn));
  const postings = new ByteWriter();
  const positions = new ByteWriter();
  for (const [n, field] of fields.entries()) {
    const forms = [...field.numbers.keys()].sort();
    const { starts, places } = byWord(field);
    for (const form of forms) {
      const others = turn();
      if (others !== undefined) await others;
      const word = field.numbers.get(form) ?? 0;
      const own = places.subarray(starts[word], starts[word + 1]);
      const entry = writeWord(field, own, documents, postings, positions);
      writer.add({ key: forwardKey(n, form), ...entry }, postings.drain(), positions.drain());
    }
    for (const key of backwardKeys(n, forms)) writer.add({ key, count: 0, first: 0, last: 0 }, noBytes, noBytes);
  }
  return {
    chunks,
    written: writer.pause(),
    lengths: fields.map(({ lengths }) => lengths.reduce((sum, length) => sum + length, 0)),
  };
}

const noBytes = new Uint8Array(0);

const backwardKeys = (field: number, forms: readonly string[]): string[] =>
  forms
    .filter(mayBeCompound)
    .map((form) => backwardKey(field, form))
    .sort();

const leastRoom = 4096;
/** Words are seldom shorter, with what stands between them; so the lists seldom have to grow. */
const charsOfWord = 5;

async function readField(
  field: number,
  documents: readonly NewDocument[],
  turn: ReturnType<typeof turns>,
): Promise<Field> {
  const numbers = new Map<string, number>();
  const lengths = new Uint32Array(documents.length);
  const chars = documents.reduce((sum, { texts }) => sum + (texts[field]?.length ?? 0), 0);
  const room = Math.max(leastRoom, Math.ceil(chars / charsOfWord));
  let [words, docs, positions] = [new Uint32Array(room), new Uint32Array(room), new Uint32Array(room)];
  let places = 0;
  for (const [doc, { texts }] of documents.entries()) {
    const text = texts[field];
    if (typeof text !== "string") continue;
    const others = turn();
    if (others !== undefined) await others;
    eachWord(text, (form, _start, _end, position) => {
      let word = numbers.get(form);
      if (word === undefined) {
        word = numbers.size;
        numbers.set(form, word);
      }
      if (places === words.length) [words, docs, positions] = [grown(words), grown(docs), grown(positions)];
      words[places] = word;
      docs[places] = doc;
      positions[places] = position;
      places += 1;
      lengths[doc] = position + 1;
    });
  }
  return { numbers, places, words, docs, positions, lengths };
}

function grown(list: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(list.length * 2);
  larger.set(list);
  return larger;
}

/** The places of each word, one word behind the other. */
function byWord({ numbers, places: count, words }: Field): { starts: Uint32Array; places: Uint32Array } {
  const starts = new Uint32Array(numbers.size + 1);
  for (let place = 0; place < count; place += 1) {
    const next = (words[place] ?? 0) + 1;
    starts[next] = (starts[next] ?? 0) + 1;
  }
  for (let word = 1; word < starts.length; word += 1) starts[word] = (starts[word] ?? 0) + (starts[word - 1] ?? 0);
  const ends = starts.slice();
  const places = new Uint32Array(count);
  for (let place = 0; place < count; place += 1) {
    const word = words[place] ?? 0;
    const end = ends[word] ?? 0;
    places[end] = place;
    ends[word] = end + 1;
  }
  return { starts, places };
}

function writeWord(
  { docs, positions, lengths }: Field,
  places: Uint32Array,
  documents: readonly NewDocument[],
  toPostings: ByteWriter,
  toPositions: ByteWriter,
): { count: number; first: number; last: number } {
  const first = documents[docs[places[0] ?? 0] ?? 0]?.doc ?? 0;
  let [count, last] = [0, first];
  for (let from = 0; from < places.length; ) {
    const n = docs[places[from] ?? 0] ?? 0;
    let [to, before] = [from, 0];
    for (; to < places.length && docs[places[to] ?? 0] === n; to += 1) {
      const position = positions[places[to] ?? 0] ?? 0;
      toPositions.number(position - before);
      before = position;
    }
    const doc = documents[n]?.doc ?? 0;
    writePosting(toPostings, doc - last, to - from, lengthCode(lengths[n] ?? 0));
    last = doc;
    count += 1;
    from = to;
  }
  return { count, first, last };
}
