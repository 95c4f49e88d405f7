import { PdppError } from "@pdpp/contract/errors";
import type { BlobContent, Input, JsonReadName, OperationName } from "@pdpp/contract/operations";
import type { CallTools } from "../request/call.ts";
import type { EncodedAnswer } from "../threads/reading-threads.ts";

export type Result =
  | { readonly json: object }
  | EncodedAnswer<OperationName>
  | { readonly blob: BlobContent }
  | { readonly lines: AsyncIterable<object> }
  | { readonly pieces: AsyncIterable<Uint8Array> }
  | { readonly nothing: true };

interface HandlerTools extends CallTools {
  readonly request: Request;
  readonly onBug: (error: unknown) => void;
}

/** The operations that read a body, stream their answer or have none. JSON reads need no handler. */
export type NonJsonOperationName = Exclude<OperationName, JsonReadName>;

type Handlers = { [N in NonJsonOperationName]: (tools: HandlerTools, input: Input<N>) => Promise<Result> };

export const runHandler = <N extends NonJsonOperationName>(
  name: N,
  tools: HandlerTools,
  input: Input<N>,
): Promise<Result> => handlers[name](tools, input);

const handlers: Handlers = {
  readBlob: async ({ reader, request }, input) => ({
    blob: await reader.readBlob(input, request.headers.get("range") ?? undefined),
  }),
  export: async ({ reader, exportPieces }, input) =>
    exportPieces === undefined
      ? { lines: await fetchFirst(reader.export(input)) }
      : { pieces: await fetchFirst(exportPieces()) },

  ingest: async ({ owner, request, onBug }, input) => {
    try {
      return { json: await owner().records.ingest(input, readBody(request)) };
    } catch (error) {
      if (error instanceof PdppError) throw error;
      if (request.signal.aborted)
        throw new PdppError("invalid_request", "the body ended early; send the lines that were not stored again");
      onBug(error);
      throw new PdppError(
        "ingest_batch_storage_error",
        "a batch could not be stored; earlier batches are kept, so send the same lines again",
      );
    }
  },
  push: async ({ owner, request }, { connection_id, ...location }) => {
    const given = Object.entries(location).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
    const push = {
      location: given.length === 0 ? undefined : Object.fromEntries(given),
      contentType: request.headers.get("content-type") ?? "",
      body: await request.text(),
    };
    return { json: await owner().sources.receive(connection_id, push) };
  },
  putBlob: async ({ owner, request }, { mime_type, ...place }) => {
    const type = mime_type ?? request.headers.get("content-type") ?? undefined;
    const ref = await owner().blobs.put(
      { ...place, ...(type === undefined ? {} : { mime_type: type }) },
      readBody(request),
    );
    return { json: { object: "blob", ...ref, ...place } };
  },
  deleteRecord: async ({ owner }, input) => {
    await owner().records.delete(input);
    return { nothing: true };
  },
  deleteRecords: async ({ owner }, input) => {
    await owner().records.delete(input);
    return { nothing: true };
  },
};

/** Fetches the first part before the answer begins, so that a bad request is still an error response and not a cut-off list. */
async function fetchFirst<T>(parts: AsyncIterable<T>): Promise<AsyncIterable<T>> {
  const iterator = parts[Symbol.asyncIterator]();
  const first = await iterator.next();
  return (async function* () {
    try {
      for (let next = first; !next.done; next = await iterator.next()) yield next.value;
    } finally {
      await iterator.return?.();
    }
  })();
}

async function* readBody(request: Request): AsyncGenerator<Uint8Array> {
  if (request.body !== null) yield* request.body;
}
