import { Readable } from "node:stream";
import { Busboy, type BusboyFileStream } from "@fastify/busboy";
import { PdppError } from "@pdpp/contract/errors";

/** Multipart forms, parsed as they arrive, so that a file is never in memory as a whole. */

export type FormPart =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly fileName: string; readonly bytes: AsyncIterable<Uint8Array> };

const limits = { fieldNameSize: 100, fieldSize: 10_000, parts: 5000, headerPairs: 50, headerSize: 16_384 };

/** Yields the parts in order. Read a file's bytes before asking for the next part. */
export async function* readFormParts(request: Request): AsyncGenerator<FormPart> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^multipart\/form-data\s*;.*boundary=/i.test(type) || request.body === null) return;
  const parser = new Busboy({ headers: { "content-type": type }, limits });
  const source = Readable.fromWeb(request.body);
  const parts = new Readable({ objectMode: true, read: () => undefined });
  let open: BusboyFileStream | undefined;
  const stop = (): void => {
    const error = new PdppError("invalid_request", "the upload was incomplete. Reload the page and try again");
    open?.destroy(error);
    parts.destroy(error);
  };
  parser.on("field", (name, value) => parts.push({ name, value }));
  parser.on("file", (name, bytes, fileName) => {
    open = bytes;
    // The consumer of the bytes handles the error.
    bytes.on("error", () => undefined);
    parts.push({ name, fileName: fileName ?? "", bytes });
  });
  parser.once("finish", () => parts.push(null));
  parser.on("error", stop);
  source.on("error", stop);
  source.once("close", () => {
    if (!source.readableEnded) stop();
  });
  source.pipe(parser);
  try {
    for await (const part of parts) yield part;
  } finally {
    source.unpipe(parser);
    source.destroy();
  }
}
