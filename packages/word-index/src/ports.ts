import type { SegmentSize } from "./segment/layout.ts";

/** The chunks of one owner's segments, in one state of the vault. */
export interface ChunkStore {
  /** Loads chunks by number. The result may contain others as well. */
  loadChunks(chunkNos: readonly number[]): Promise<ReadonlyMap<number, Buffer>>;
}

/** Called in long loops: returns a promise to wait for when it is time to let other work run. */
export type YieldIfDue = () => Promise<void> | undefined;

export interface Segment {
  readonly no: number;
  readonly firstDoc: number;
  readonly docCount: number;
  /** For each field, the number of words in all documents together. */
  readonly fieldLengths: readonly number[];
  readonly size: SegmentSize;
  /** Deleted documents that it still contains; undefined if it has none. */
  readonly tombstones: ReadonlySet<number> | undefined;
}

/** One connection of a stream, as far as a grant covers it. */
export interface Source {
  readonly segments: readonly Segment[];
  readonly fields: readonly number[];
  /** The boost of every field of the index, by its number. */
  readonly boosts: readonly number[];
  readonly visibility: Visibility;
}

/** A grant's view of a source. Nothing else may influence which documents match or how they rank. */
export interface Visibility {
  /** Whether some documents may be hidden, so that each must be checked. */
  readonly isFiltered: boolean;
  /** Whether every document and every field is visible, so that the statistics of whole segments may be used. */
  readonly isComplete: boolean;
  findVisible(docs: readonly number[]): Promise<ReadonlySet<number>>;
  /** Missing unless the source is a conversation whose order is visible. */
  readonly loadNextTurns?: (docs: readonly number[]) => Promise<readonly NextTurns[]>;
  /** Finds documents that a program wrote. Missing unless the source says so in a visible field. */
  readonly findGenerated?: (docs: readonly number[]) => Promise<ReadonlySet<number>>;
}

/** A document and the two visible documents that follow it in its conversation. */
export interface NextTurns {
  readonly doc: number;
  readonly next: number | null;
  readonly second: number | null;
}
