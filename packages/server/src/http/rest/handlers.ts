import { PdppError } from "@pdpp/contract/errors";
import type { BlobContent, Input, OperationName } from "@pdpp/contract/operations";
import type { Bound } from "../request/pipeline.ts";
import type { EncodedAnswer } from "../threads/reading-threads.ts";

/** What each operation does with its checked input. A result is a JSON value, bytes, lines, or nothing. */
export type Result =
  | { readonly json: object }
  | EncodedAnswer
  | { readonly blob: BlobContent }
  | { readonly lines: AsyncIterable<object> }
  | { readonly nothing: true };

export interface Call extends Bound {
  readonly request: Request;
  readonly onBug: (error: unknown) => void;
}

type Handlers = { [N in OperationName]: (call: Call, input: Input<N>) => Promise<Result> };

/** Does one operation, by its name. */
export const handle = <N extends OperationName>(name: N, call: Call, input: Input<N>): Promise<Result> =>
  handlers[name](call, input);

const handlers: Handlers = {
  schema: async ({ reader }, input) => ({ json: await reader.schema(input) }),
  connectors: async ({ reader }, input) => ({ json: await reader.connectors(input) }),
  streams: async ({ reader }, input) => ({ json: await reader.streams(input) }),
  stream: async ({ reader }, input) => ({ json: await reader.stream(input) }),
  queryRecords: async ({ reader }, input) => ({ json: await reader.queryRecords(input) }),
  fetch: async ({ reader }, input) => ({ json: await reader.fetch(input) }),
  aggregate: async ({ reader }, input) => ({ json: await reader.aggregate(input) }),
  search: async ({ reader }, input) => ({ json: await reader.search(input) }),
  readField: async ({ reader }, input) => ({ json: await reader.readField(input) }),
  readBlob: async ({ reader, request }, input) => ({
    blob: await reader.readBlob(input, request.headers.get("range") ?? undefined),
  }),
  export: async ({ reader }, input) => ({ lines: await started(reader.export(input)) }),

  ingest: async ({ owner, request, onBug }, input) => {
    try {
      return { json: await owner().records.ingest(input, bodyOf(request)) };
    } catch (error) {
      if (error instanceof PdppError) throw error;
      if (request.signal.aborted)
        throw new PdppError("invalid_request", "the body ended early; send the lines that were not stored again");
      onBug(error);
      throw new PdppError(
        "ingest_batch_storage_error",
        "a batch could not be stored; what was stored before it is kept, so send the same lines again",
      );
    }
  },
  putBlob: async ({ owner, request }, { mime_type, ...place }) => {
    const type = mime_type ?? request.headers.get("content-type") ?? undefined;
    const ref = await owner().blobs.put(
      { ...place, ...(type === undefined ? {} : { mime_type: type }) },
      bodyOf(request),
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

/** The first line is fetched before the answer begins, so that what is wrong with a request is still an error and no cut-off list. */
async function started(lines: AsyncIterable<object>): Promise<AsyncIterable<object>> {
  const iterator = lines[Symbol.asyncIterator]();
  const first = await iterator.next();
  return (async function* () {
    try {
      for (let next = first; !next.done; next = await iterator.next()) yield next.value;
    } finally {
      await iterator.return?.();
    }
  })();
}

async function* bodyOf(request: Request): AsyncGenerator<Uint8Array> {
  if (request.body !== null) yield* request.body;
}
