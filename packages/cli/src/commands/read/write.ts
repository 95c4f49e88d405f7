import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";

const blockChars = 64 * 1024;

/** Joins small strings into few large writes. */
export async function* toBlocks(texts: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let block = "";
  for await (const text of texts) {
    block += text;
    if (block.length < blockChars) continue;
    yield Buffer.from(block);
    block = "";
  }
  if (block !== "") yield Buffer.from(block);
}

/** Ends every piece with a line break. */
export async function* toLines(texts: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const lines of texts) yield `${lines}\n`;
}

/** Joins JSON lines to one list. */
export async function* toJsonList(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let before = '{"object":"list","data":[\n';
  for await (const lines of texts) {
    yield before + lines.replaceAll("\n", ",\n");
    before = ",\n";
  }
  yield before.startsWith("{") ? `${before}]}\n` : "\n]}\n";
}

/** Writes with backpressure and leaves the stream open. A closed reader causes EPIPE. */
export async function pipeBytes(target: Writable, bytes: AsyncIterable<Uint8Array>, end = false): Promise<void> {
  await pipeline(Readable.from(bytes, { objectMode: false, highWaterMark: blockChars }), target, { end });
}

export const pipeText = (target: Writable, texts: AsyncIterable<string>): Promise<void> =>
  pipeBytes(target, toBlocks(texts));
