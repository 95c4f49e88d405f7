import { sliceChars } from "@pdpp/evidence/text/text";
import type { ReadTransaction } from "../engine/engine.ts";
import { chunkChars, loadChunks, splitIntoChunks } from "./long-text.ts";

/** A text that windows are cut from, in memory or in the store. Offsets are in characters. */
export interface TextSource {
  readonly chars: number;
  /** Whether it is read in parts. */
  readonly isLong: boolean;
  slice(start: number, end: number): Promise<string>;
  /** The whole text, in pieces that do not split characters. */
  pieces(): AsyncIterable<string>;
}

const pieceChunks = 8;

export function createHeldText(text: string, chars: number): TextSource {
  return {
    chars,
    isLong: false,
    slice: async (start, end) => sliceChars(text, start, end),
    async *pieces() {
      yield* splitIntoChunks(text, pieceChunks * chunkChars);
    },
  };
}

export interface StoredText {
  readonly ownerNo: number;
  readonly connectionNo: number;
  readonly version: number;
  readonly textNo: number;
  readonly chars: number;
}

/** Parts of up to this many chunks are kept. */
const maxHeldChunks = 8;

export function createStoredText(on: ReadTransaction, { version, textNo, chars, ...place }: StoredText): TextSource {
  const lastChunk = Math.ceil(chars / chunkChars) - 1;
  let held: { readonly first: number; readonly last: number; readonly text: string } | undefined;
  /** A window is followed by reads of the text around it, so that is read with it. */
  const loadAround = async (first: number, last: number) => {
    if (held !== undefined && held.first <= first && last <= held.last) return held;
    const around = { first: Math.max(0, first - 1), last: Math.min(lastChunk, last + 1) };
    const loaded = { ...around, text: await loadChunks(on, place, version, textNo, around.first, around.last) };
    if (around.last - around.first < maxHeldChunks) held = loaded;
    return loaded;
  };
  return {
    chars,
    isLong: true,
    async slice(start, end) {
      if (start >= end || start >= chars) return "";
      const last = Math.min(lastChunk, Math.floor((end - 1) / chunkChars));
      const { first, text } = await loadAround(Math.floor(start / chunkChars), last);
      return sliceChars(text, start - first * chunkChars, end - first * chunkChars);
    },
    async *pieces() {
      for (let n = 0; n <= lastChunk; n += pieceChunks)
        yield await loadChunks(on, place, version, textNo, n, n + pieceChunks - 1);
    },
  };
}
