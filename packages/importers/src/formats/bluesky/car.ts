import type { Entry } from "../../tree/tree.ts";

/** A block of a CAR file: its length, its digest and its content. */
export interface Block {
  readonly offset: number;
  readonly end: number;
  readonly cid: string;
  readonly bytes: Buffer;
}

const maxBlockBytes = 8 * 1024 * 1024;
/** Version, codec, hash type and length, then 32 bytes. */
const cidLength = 36;

/** Reads blocks, starting at `from`, the end of an earlier block. Throws if the file is damaged. */
export async function* readBlocks(entry: Entry, from = 0): AsyncGenerator<Block> {
  let held = Buffer.alloc(0);
  let at = from;
  let isHeader = from === 0;
  for await (const chunk of entry.bytes(from)) {
    held = held.length === 0 ? Buffer.from(chunk) : Buffer.concat([held, chunk]);
    for (let i = 0; ; ) {
      const length = readVarint(held, i);
      if (length === undefined || i + length.size + length.value > held.length) {
        held = held.subarray(i);
        at += i;
        break;
      }
      const start = i + length.size;
      i = start + length.value;
      if (isHeader) isHeader = false;
      else if (length.value < cidLength) throw new Error("a block has no digest");
      else
        yield {
          offset: at + start - length.size,
          end: at + i,
          cid: held.toString("hex", start, start + cidLength),
          bytes: Buffer.from(held.subarray(start + cidLength, i)),
        };
    }
  }
  if (held.length > 0) throw new Error("the file ends in the middle of a block");
}

/** Reads a varint. */
function readVarint(bytes: Buffer, from: number): { value: number; size: number } | undefined {
  let value = 0;
  for (let n = 0; n < 5; n += 1) {
    const byte = bytes[from + n];
    if (byte === undefined) return undefined;
    value += (byte & 127) * 2 ** (7 * n);
    if (byte < 128) {
      if (value > maxBlockBytes) break;
      return { value, size: n + 1 };
    }
  }
  throw new Error("a block is too long");
}
