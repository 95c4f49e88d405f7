import { PdppError } from "@pdpp/contract/errors";
import type { BlobContent, Input, OperationName, ReadApi } from "@pdpp/contract/operations";
import { ingest } from "../ingest/ingest.ts";
import { deleteRecords } from "../ingest/owner.ts";
import { connectionsNamed, heldBy, placeNamed } from "../owner/connection-named.ts";
import type { Scope } from "../read/scope.ts";
import { putBlob } from "../store/blobs/blobs.ts";
import type { Store } from "../store/store.ts";

/** What each operation does with its checked input. A result is a JSON value, bytes, lines, or nothing. */
export type Result =
  | { readonly json: object }
  | { readonly blob: BlobContent }
  | { readonly lines: AsyncIterable<object> }
  | { readonly nothing: true };

export interface Call {
  readonly store: Store;
  readonly scope: Scope;
  readonly reader: ReadApi;
  readonly request: Request;
  readonly now: () => number;
  readonly onBug: (error: unknown) => void;
}

type Handlers = { [N in OperationName]: (call: Call, input: Input<N>) => Promise<Result> };

const maxBlobBytes = 2 * 1024 ** 3;

export const handlers: Handlers = {
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

  ingest: async ({ store, scope, request, now, onBug }, input) => {
    const { run_id, ...name } = input;
    if (name.connection_id === undefined && name.connector_id === undefined) {
      throw new PdppError("invalid_request", "connection_id is required: it says where the records come from", {
        param: "connection_id",
      });
    }
    const { connection } = await placeNamed(store, scope.ownerNo, name);
    const target = { ownerNo: scope.ownerNo, connection, stream: input.stream };
    try {
      const report = await ingest(store, target, bodyOf(request), { now });
      return { json: run_id === undefined ? report : { ...report, run_id } };
    } catch (error) {
      if (error instanceof PdppError) throw error;
      onBug(error);
      throw new PdppError(
        "ingest_batch_storage_error",
        "a batch could not be stored; what was stored before it is kept, so send the same lines again",
      );
    }
  },
  putBlob: async ({ store, scope, request, now }, { mime_type, ...place }) => {
    const { held, catalog } = await heldBy(store, scope.ownerNo);
    if (place.connection_id ?? place.connector_id ?? place.stream) connectionsNamed(held, catalog, place);
    const type = mime_type ?? request.headers.get("content-type") ?? "application/octet-stream";
    const ref = await putBlob(store.engine, store.blobs, scope.ownerNo, limited(bodyOf(request)), type, now());
    return { json: { object: "blob", ...ref, ...place } };
  },
  deleteRecord: async ({ store, scope, now }, { record_id, ...name }) => {
    const deleted = await deleteRecords(store, await placeNamed(store, scope.ownerNo, name), record_id, now());
    if (deleted === 0)
      throw new PdppError("not_found", `stream ${name.stream} has no record with that id`, { param: "record_id" });
    return { nothing: true };
  },
  deleteRecords: async ({ store, scope, now }, name) => {
    await deleteRecords(store, await placeNamed(store, scope.ownerNo, name), undefined, now());
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
  if (request.body !== null) yield* request.body as unknown as AsyncIterable<Uint8Array>;
}

async function* limited(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.byteLength;
    if (size > maxBlobBytes) throw new PdppError("resource_limit", `a blob is at most ${maxBlobBytes} bytes`);
    yield chunk;
  }
}
