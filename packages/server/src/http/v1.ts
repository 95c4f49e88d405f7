import { PdppError } from "@pdpp/contract/errors";
import { type Match, matchPath } from "@pdpp/contract/match-path";
import type { Input, OperationName } from "@pdpp/contract/operations";
import type { Warning } from "@pdpp/contract/wire";
import { authenticate } from "../auth/authenticate.ts";
import { tokenHash } from "../auth/tokens.ts";
import { createOwner } from "../owner/owner.ts";
import { createReader } from "../read/reader.ts";
import type { Scope } from "../read/scope.ts";
import type { Store } from "../store/store.ts";
import { type AccessNote, accessNote } from "./access-note.ts";
import { bearerOf, challenged } from "./bearer.ts";
import { blobResponse } from "./blob-response.ts";
import { checkClientQueries } from "./client-queries.ts";
import { type Call, handlers, type Result } from "./handlers.ts";
import type { HostPolicy } from "./hosts.ts";
import { requestLimiter } from "./limiter.ts";
import { metadataPath } from "./metadata.ts";
import { inputOf } from "./request-input.ts";
import { jsonResponse, protocolVersion } from "./respond.ts";

export interface V1Options extends HostPolicy {
  readonly store: Store;
  readonly now: () => number;
  /** Whether clients may filter, expand and use views; the owner always may. */
  readonly clientQueries: boolean;
  readonly onBug: (error: unknown, requestId: string) => void;
}

const requestsPerToken = 64;

/** The operations of the contract over HTTP: find, authenticate, check, run, answer, note. */
export function v1(options: V1Options): (request: Request, requestId: string) => Promise<Response> {
  const begin = requestLimiter(requestsPerToken);
  return async (request, requestId) => {
    checkVersion(request);
    const url = new URL(request.url);
    const match = findOperation(url.pathname, request.method);
    const token = bearerOf(request, options, metadataPath);
    const end = begin(tokenHash(token));
    try {
      const scope = await authenticate(options.store, token, options.now()).catch((error) => {
        throw challenged(error, request, options, metadataPath);
      });
      const noted = accessNote(options, scope, match.operation.name, match.params.stream, requestId);
      return await answer({ match, url, request, requestId, scope, noted, end }, options);
    } catch (error) {
      end();
      throw error;
    }
  };
}

function checkVersion(request: Request): void {
  const asked = request.headers.get("pdpp-version");
  if (asked !== null && asked !== protocolVersion) {
    throw new PdppError(
      "unsupported_version",
      `this server speaks PDPP-Version ${protocolVersion}, not ${JSON.stringify(asked.slice(0, 40))}`,
      { param: "PDPP-Version" },
    );
  }
}

function findOperation(pathname: string, method: string): Match {
  const found = matchPath(pathname);
  if (found === null) throw new PdppError("invalid_request", "the path is not well percent-encoded");
  if (found.length === 0)
    throw new PdppError(
      "not_found",
      `there is nothing at ${pathname.slice(0, 200)}; GET /v1/openapi.json lists what there is`,
    );
  const match = found.find(({ operation }) => operation.method === (method === "HEAD" ? "GET" : method));
  if (match === undefined) {
    const allowed = found.map(({ operation }) => operation.method).join(", ");
    throw new PdppError("method_not_allowed", `${method.slice(0, 20)} does not work here; use ${allowed}`);
  }
  return match;
}

function checkAudience({ operation }: Match, scope: Scope): void {
  if (operation.audience === "owner" && scope.tokenKind !== "owner") {
    throw new PdppError("permission_error", "only the owner may do this; a client's token reads, inside its grant");
  }
}

interface Authorised {
  readonly match: Match;
  readonly url: URL;
  readonly request: Request;
  readonly requestId: string;
  readonly scope: Scope;
  readonly noted: AccessNote;
  readonly end: () => void;
}

async function answer(
  { match, url, request, requestId, scope, noted, end }: Authorised,
  options: V1Options,
): Promise<Response> {
  const name = match.operation.name as OperationName;
  try {
    checkAudience(match, scope);
    const { input, warnings } = inputOf(match, url);
    checkClientQueries(input as object, name, scope, options.clientQueries);
    const { store, now } = options;
    const reader = createReader({ store, scope, disclose: noted.disclose });
    const owner = createOwner({ store, ownerNo: scope.ownerNo, now });
    const call: Call = { owner, request, reader, onBug: (error) => options.onBug(error, requestId) };
    const handle = handlers[name] as (call: Call, input: Input<typeof name>) => Promise<Result>;
    const result = await handle(call, input as Input<typeof name>);
    return spell(result, warnings, request.method === "HEAD", noted, end);
  } catch (error) {
    noted.done(error instanceof PdppError ? error.status : 500, 0);
    throw error;
  }
}

/** The result as a response; what was let out is noted when the last byte has gone. */
function spell(
  result: Result,
  warnings: readonly Warning[],
  head: boolean,
  noted: AccessNote,
  end: () => void,
): Response {
  const finish = (status: number, bytes: number) => {
    end();
    noted.done(status, bytes);
  };
  const alias =
    warnings.length === 0 ? {} : { "pdpp-warning": warnings.map(({ code, param }) => `${code}: ${param}`).join(", ") };
  if ("json" in result) {
    const text = JSON.stringify(withWarnings(result.json, warnings));
    finish(200, head ? 0 : Buffer.byteLength(text));
    return jsonResponse(200, text, {});
  }
  if ("nothing" in result) {
    finish(204, 0);
    return new Response(null, { status: 204, headers: alias });
  }
  if ("blob" in result) {
    const { blob } = result;
    if (head) {
      void blob.bytes.cancel();
      finish(blob.status, 0);
      return blobResponse(blob, alias, new Blob([]).stream());
    }
    return blobResponse(
      blob,
      alias,
      counted(blob.bytes, (bytes) => finish(blob.status, bytes)),
    );
  }
  const headers = {
    ...alias,
    "content-type": "application/x-ndjson; charset=utf-8",
    "cache-control": "private, no-store",
  };
  if (head) {
    finish(200, 0);
    return new Response(null, { headers });
  }
  return new Response(
    counted(ndjson(result.lines), (bytes) => finish(200, bytes)),
    { headers },
  );
}

function withWarnings(json: object, warnings: readonly Warning[]): object {
  if (warnings.length === 0) return json;
  const { meta } = json as { meta?: { warnings?: Warning[] } };
  return { ...json, meta: { ...meta, warnings: [...(meta?.warnings ?? []), ...warnings] } };
}

function ndjson(lines: AsyncIterable<object>): ReadableStream<Uint8Array> {
  const iterator = lines[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      let text = "";
      while (text.length < 64 * 1024) {
        const next = await iterator.next();
        if (next.done) {
          if (text !== "") controller.enqueue(encoder.encode(text));
          return controller.close();
        }
        text += `${JSON.stringify(next.value)}\n`;
      }
      controller.enqueue(encoder.encode(text));
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}

/** Counts bytes as they go out, and tells once how many went, also when the receiver hangs up. */
function counted(bytes: ReadableStream<Uint8Array>, done: (bytes: number) => void): ReadableStream<Uint8Array> {
  const reader = bytes.getReader();
  let size = 0;
  return new ReadableStream({
    async pull(controller) {
      try {
        const next = await reader.read();
        if (next.done) {
          done(size);
          return controller.close();
        }
        size += next.value.byteLength;
        controller.enqueue(next.value);
      } catch (error) {
        done(size);
        controller.error(error);
      }
    },
    async cancel(reason) {
      done(size);
      await reader.cancel(reason);
    },
  });
}
