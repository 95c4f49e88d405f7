import type { z } from "zod";
import { NoResponseError, PdppError, parseErrorEnvelope, problemStatus } from "../errors.ts";
import {
  type BlobContent,
  getResponseSchema,
  type Input,
  type JsonReadName,
  mapReads,
  type OperationName,
  type Output,
  type ReadApi,
} from "../operations.ts";
import { record } from "../wire.ts";
import { buildUrl } from "./address.ts";

export interface ApiClient extends ReadApi {
  /** Streams the export in chunks of whole lines, one record per line, without a trailing newline. */
  exportLines(input: Input<"export">): AsyncIterable<string>;
  answer<T>(name: OperationName, shape: z.ZodType<T>, input: object): Promise<T>;
  /** Fetches the server's public metadata; null if it has none. */
  metadata(): Promise<unknown>;
}

export function createClient(options: {
  readonly url: string;
  readonly token: string;
  /** The request id that appears in the access log. */
  readonly requestId?: string;
  readonly fetch?: typeof globalThis.fetch;
}): ApiClient {
  const named = options.requestId === undefined ? {} : { "request-id": options.requestId };
  const send = options.fetch ?? globalThis.fetch;
  const sendRequest = (url: URL, headers: Record<string, string>): Promise<Response> =>
    send(url, { headers }).catch((error: Error) => {
      throw new NoResponseError(`no answer from ${url.origin}: ${describeFailure(error)}; is the server running?`);
    });
  const call = async (name: OperationName, input: object, headers: Record<string, string> = {}): Promise<Response> => {
    const url = new URL(buildUrl(name, { ...input }), options.url);
    const response = await sendRequest(url, { authorization: `Bearer ${options.token}`, ...named, ...headers });
    if (response.ok) return response;
    const requestId = getRequestId(response);
    throw parseErrorEnvelope(response.status, await response.json().catch(() => null), requestId);
  };
  /** Parses the response; URLs of continuations become calls again. */
  const read = async <T>(name: OperationName, shape: z.ZodType<T>, input: object): Promise<T> => {
    return parseShape(name, shape, await readJson(name, input));
  };
  const parseShape = <T>(name: OperationName, shape: z.ZodType<T>, answer: unknown): T => {
    const parsed = shape.safeParse(answer);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    const place = issue?.path.map(String).join(".") || "its beginning";
    throw new PdppError(
      "api_error",
      `the answer of ${new URL(options.url).origin} to ${name} does not have the shape of the protocol at ${place}`,
    );
  };
  const readJson = async (name: OperationName, input: object): Promise<unknown> => {
    const response = await call(name, input);
    const text = await response.text().catch((error: Error) => {
      throw new NoResponseError(`the answer was interrupted: ${describeFailure(error)}; try again`);
    });
    try {
      return JSON.parse(text);
    } catch {
      const message = `the answer of ${new URL(options.url).origin} is not JSON; is it the address of a vault?`;
      throw new PdppError("api_error", message, {}, getRequestId(response));
    }
  };
  const callOperation = async <N extends JsonReadName>(name: N, input: Input<N>): Promise<Output<N>> => {
    const answer = await readJson(name, input);
    const parsed = parseShape(name, getResponseSchema(name), answer);
    // Parsing turns continuations into calls again, but reorders keys. Where there are none, the server's order is kept.
    return withoutContinuations.has(name) ? (answer as Output<N>) : parsed;
  };
  const reads = mapReads(callOperation, {
    readBlob: async (input, range) =>
      readBlobResponse(await call("readBlob", input, range === undefined ? {} : { range })),
    async *export(input) {
      for await (const lines of splitWholeLines(call, input))
        for (const line of lines.split("\n")) yield parseShape("export", record, JSON.parse(line));
    },
  });
  return {
    ...reads,
    exportLines: (input) => splitWholeLines(call, input),
    answer: read,
    metadata: async () => {
      const url = new URL("/.well-known/oauth-protected-resource", options.url);
      const response = await sendRequest(url, {});
      return response.ok ? response.json().catch(() => null) : null;
    },
  };
}

const withoutContinuations: ReadonlySet<JsonReadName> = new Set(["schema", "connectors", "streams", "stream"]);

const getRequestId = ({ headers }: Response): string | undefined =>
  headers.get("x-request-id") ?? headers.get("request-id") ?? undefined;

/** `fetch` only says that it failed; its cause says why. */
const describeFailure = ({ message, cause }: Error): string => {
  const { code, message: deeper } = (cause ?? {}) as { code?: string; message?: string };
  return deeper || code || message;
};

async function* splitWholeLines(
  call: (name: OperationName, input: object) => Promise<Response>,
  input: Input<"export">,
): AsyncGenerator<string> {
  const { body } = await call("export", input);
  let held = "";
  for await (const text of reportBrokenStream(body!.pipeThrough(new TextDecoderStream()))) {
    const end = text.lastIndexOf("\n");
    if (end < 0) {
      held += text;
      continue;
    }
    const lines = held + text.slice(0, end);
    held = text.slice(end + 1);
    const last = lines.lastIndexOf("\n") + 1;
    if (!lines.startsWith(errorLine, last)) {
      yield lines;
      continue;
    }
    if (last > 0) yield lines.slice(0, last - 1);
    throw parseErrorLine(lines.slice(last));
  }
  if (held !== "")
    throw new NoResponseError(
      "the export ended in the middle of a record; continue with after=<the last record received>",
    );
}

/** No record starts like this. An export that fails midway ends with such a line. */
const errorLine = '{"error":';

function parseErrorLine(line: string): PdppError {
  const body: unknown = JSON.parse(line);
  const { code } = Object(Object(body).error);
  return parseErrorEnvelope(Object.hasOwn(problemStatus, code) ? Reflect.get(problemStatus, code) : 500, body);
}

async function* reportBrokenStream(texts: ReadableStream<string>): AsyncGenerator<string> {
  try {
    for await (const text of texts) yield text;
  } catch (error) {
    throw new NoResponseError(
      `the export was interrupted: ${describeFailure(error as Error)}; continue with after=<the last record received>`,
    );
  }
}

function readBlobResponse(response: Response): BlobContent {
  const range = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(response.headers.get("content-range") ?? "");
  return {
    status: response.status === 206 ? 206 : 200,
    mimeType: response.headers.get("content-type") ?? "application/octet-stream",
    sizeBytes: Number(range?.[3] ?? response.headers.get("content-length") ?? 0),
    ...(range === null ? {} : { range: { first: Number(range[1]), last: Number(range[2]) } }),
    bytes: response.body ?? new ReadableStream(),
  };
}
