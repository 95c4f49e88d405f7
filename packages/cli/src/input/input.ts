import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { PdppError } from "@pdpp/contract/errors";

export interface Input {
  /** Name for error messages. */
  readonly name: string;
  readonly sizeBytes?: number;
  readonly bytes: AsyncIterable<Uint8Array> & NodeJS.ReadableStream;
}

const chunkBytes = 1024 * 1024;

export async function openInput(file: string): Promise<Input> {
  if (file === "-") return { name: "stdin", bytes: process.stdin as Input["bytes"] };
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw createReadError(file, error.code === "ENOENT" ? "no such file" : error.message);
  });
  if (found.isDirectory()) throw createReadError(file, "it is a directory");
  const stream = createReadStream(file, { highWaterMark: chunkBytes });
  await new Promise<void>((resolve, reject) => {
    stream.once("open", () => resolve()).once("error", (error) => reject(createReadError(file, error.message)));
  });
  return { name: file, ...(found.isFile() ? { sizeBytes: found.size } : {}), bytes: stream as Input["bytes"] };
}

const createReadError = (file: string, why: string): PdppError =>
  new PdppError("invalid_argument", `cannot read ${file}: ${why}; check the path`);

/** Reports the running total while passing the bytes on. */
export async function* countBytes(bytes: AsyncIterable<Uint8Array>, onCount: (total: number) => void) {
  let total = 0;
  for await (const chunk of bytes) {
    total += chunk.byteLength;
    onCount(total);
    yield chunk;
  }
}
