import { addressOf } from "./address.ts";
import { errorFromEnvelope, PdppError } from "./errors.ts";
import type { BlobContent, Input, OperationName, ReadApi } from "./operations.ts";
import type { WireRecord } from "./wire.ts";

/** The reader behind HTTP: the same operations, sent to a server with a bearer token. */
export function createClient(options: {
  readonly url: string;
  readonly token: string;
  /** The id under which the server notes what is read. */
  readonly requestId?: string;
  readonly fetch?: typeof globalThis.fetch;
}): ReadApi {
  const named = options.requestId === undefined ? {} : { "request-id": options.requestId };
  const send = options.fetch ?? globalThis.fetch;
  const call = async (name: OperationName, input: object, headers: Record<string, string> = {}): Promise<Response> => {
    const url = new URL(addressOf(name, input as Record<string, unknown>), options.url);
    const response = await send(url, {
      headers: { authorization: `Bearer ${options.token}`, ...named, ...headers },
    }).catch((error: Error) => {
      throw new PdppError("unavailable", `no answer from ${url.origin}: ${error.message}; is the server running?`);
    });
    if (response.ok) return response;
    throw errorFromEnvelope(response.status, await response.json().catch(() => null));
  };
  const json = async <T>(name: OperationName, input: object): Promise<T> =>
    (await (await call(name, input)).json()) as T;
  return {
    schema: (input) => json("schema", input),
    connectors: (input) => json("connectors", input),
    streams: (input) => json("streams", input),
    stream: (input) => json("stream", input),
    queryRecords: (input) => json("queryRecords", input),
    fetch: (input) => json("fetch", input),
    aggregate: (input) => json("aggregate", input),
    search: (input) => json("search", input),
    readField: (input) => json("readField", input),
    readBlob: async (input, range) => blobFrom(await call("readBlob", input, range === undefined ? {} : { range })),
    export: (input) => exported(call, input),
  };
}

async function* exported(
  call: (name: OperationName, input: object) => Promise<Response>,
  input: Input<"export">,
): AsyncGenerator<WireRecord> {
  const { body } = await call("export", input);
  let held = "";
  for await (const text of body!.pipeThrough(new TextDecoderStream())) {
    const lines = (held + text).split("\n");
    held = lines.pop()!;
    for (const line of lines) yield JSON.parse(line) as WireRecord;
  }
  if (held !== "")
    throw new PdppError("unavailable", "the export ended in the middle of a record; go on with after=<the last one>");
}

function blobFrom(response: Response): BlobContent {
  const range = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(response.headers.get("content-range") ?? "");
  return {
    status: response.status === 206 ? 206 : 200,
    mimeType: response.headers.get("content-type") ?? "application/octet-stream",
    sizeBytes: Number(range?.[3] ?? response.headers.get("content-length") ?? 0),
    ...(range === null ? {} : { range: { first: Number(range[1]), last: Number(range[2]) } }),
    bytes: response.body ?? new ReadableStream(),
  };
}
