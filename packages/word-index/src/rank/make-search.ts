import type { Segment, Source, Visibility } from "../ports.ts";
import { createDictionaryReader } from "../query/dictionary-reader.ts";
import { buildSegment } from "../writer/build-segment.ts";
import type { Search } from "./rank.ts";

/** For tests: searches of a few texts in memory. */

export const seesEverything: Visibility = {
  isFiltered: false,
  isComplete: true,
  findVisible: async (docs) => new Set(docs),
};

/** An index with one segment for each list of texts; documents are numbered from 1. */
export async function makeSearch(
  batches: readonly (readonly string[])[],
  visibility = seesEverything,
  deleted: readonly number[] = [],
) {
  const chunks = new Map<number, Buffer>();
  const segments: Segment[] = [];
  const findTombstones = (first: number, last: number): ReadonlySet<number> | undefined => {
    const own = deleted.filter((each) => first <= each && each <= last);
    return own.length === 0 ? undefined : new Set(own);
  };
  let doc = 0;
  for (const [n, texts] of batches.entries()) {
    const firstDoc = doc + 1;
    const documents = texts.map((text) => ({ doc: ++doc, texts: [text] }));
    const built = await buildSegment(n + 1, 1, documents, () => undefined);
    for (const { no, bytes } of built.chunks) chunks.set(no, Buffer.from(bytes));
    const { size, fieldLengths } = built;
    segments.push({
      no: n + 1,
      firstDoc,
      docCount: texts.length,
      fieldLengths,
      size,
      tombstones: findTombstones(firstDoc, doc),
    });
  }
  const source: Source = { segments, fields: [0], boosts: [1], visibility };
  const search: Search = {
    chunks: { loadChunks: async () => chunks },
    dictionaries: createDictionaryReader(),
    sources: [source],
    maxDoc: doc,
    maxBytes: Number.POSITIVE_INFINITY,
    countDocs: async () => doc - deleted.length,
    throwIfStopped: () => undefined,
    yieldIfDue: () => undefined,
  };
  return { search, chunks };
}
