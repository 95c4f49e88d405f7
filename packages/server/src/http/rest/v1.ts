import { type MatchedRoute, matchRoutes } from "@pdpp/contract/address";
import { PdppError } from "@pdpp/contract/errors";
import { isJsonRead } from "@pdpp/contract/operations";
import type { Warning } from "@pdpp/contract/wire";
import { metadataPath } from "../metadata.ts";
import { type Outgoing, streamBytes, streamEncodedLines, streamNdjson } from "../request/answer-stream.ts";
import { type Call, startCall } from "../request/call.ts";
import type { Pipeline } from "../request/pipeline.ts";
import { readValues, readValuesLoosely } from "../request/request-input.ts";
import { addWarnings, createDataResponse, createJsonResponse, protocolVersion, toProblem } from "../respond.ts";
import { EncodedAnswer } from "../threads/reading-threads.ts";
import { createBlobResponse } from "./blob-response.ts";
import { type Result, runHandler } from "./handlers.ts";

export function createRestHandler(
  pipeline: Pipeline,
  onBug: (error: unknown, requestId: string) => void,
): (request: Request, url: URL, requestId: string) => Promise<Response> {
  return async (request, url, requestId) => {
    checkVersion(request);
    const route = findRoute(url.pathname, request.method);
    const surface = { metadata: metadataPath, operation: route.name, takesPassword: route.name === "push" };
    return pipeline.handle(request, requestId, surface, async (session) => {
      const call = startCall(session);
      const warnings: Warning[] = [];
      const report = (error: unknown) => onBug(error, requestId);
      const result = await runOperation(call, route, url, request, warnings, report);
      const outgoing: Outgoing = {
        checkStillValid: session.checkStillValid,
        maxAnswerMs: session.options.maxAnswerMs,
        toProblem: (error) => toProblem(error, report),
        begin: call.beginStream,
        finish: call.finish,
      };
      return toResponse(result, warnings, request.method === "HEAD", requestId, outgoing);
    });
  };
}

function checkVersion(request: Request): void {
  const asked = request.headers.get("pdpp-version");
  if (asked !== null && asked !== protocolVersion) {
    throw new PdppError(
      "unsupported_version",
      `PDPP-Version ${JSON.stringify(asked.slice(0, 40))} is not supported; send ${protocolVersion}, or leave it out`,
      { param: "PDPP-Version" },
    );
  }
}

function findRoute(pathname: string, method: string): MatchedRoute {
  const found = matchRoutes(pathname);
  if (found === null) throw new PdppError("invalid_request", "the path has invalid percent-encoding");
  if (found.length === 0)
    throw new PdppError("not_found", `no such path: ${pathname.slice(0, 200)}; GET /v1/openapi.json lists the paths`);
  const route = found.find((candidate) => candidate.method === (method === "HEAD" ? "GET" : method));
  if (route === undefined) {
    const allowed = found.map((candidate) => candidate.method).join(", ");
    throw new PdppError("method_not_allowed", `method ${method.slice(0, 20)} is not allowed here; use ${allowed}`);
  }
  return route;
}

async function runOperation(
  call: Call,
  route: MatchedRoute,
  url: URL,
  request: Request,
  warnings: Warning[],
  onBug: (error: unknown) => void,
): Promise<Result> {
  const { name } = route;
  const values = () => readValues(route, url, (warning) => warnings.push(warning));
  const asked = { stream: route.params.stream, values, valuesToLog: () => readValuesLoosely(route, url), warnings };
  if (!isJsonRead(name))
    return call.run({ ...asked, name }, (tools, input) => runHandler(name, { ...tools, request, onBug }, input));
  const answer = await call.read({ ...asked, name });
  return answer instanceof EncodedAnswer ? answer : { json: answer };
}

/** Writes the result as a response. Disclosures are logged before an answer is sent, or when its stream ends. */
function toResponse(
  result: Result,
  warnings: readonly Warning[],
  isHead: boolean,
  requestId: string,
  outgoing: Outgoing,
): Response {
  const { finish } = outgoing;
  const alias =
    warnings.length === 0 ? {} : { "pdpp-warning": warnings.map(({ code, param }) => `${code}: ${param}`).join(", ") };
  if (result instanceof EncodedAnswer) return createEncodedResponse(result.bytes, isHead, requestId, outgoing);
  if ("json" in result) {
    const text = JSON.stringify(addWarnings(result.json, warnings));
    finish(200, isHead ? 0 : Buffer.byteLength(text));
    return createDataResponse(requestId, text);
  }
  if ("nothing" in result) {
    finish(204, 0);
    return new Response(null, { status: 204, headers: alias });
  }
  if ("blob" in result) {
    const { blob } = result;
    if (isHead) {
      void blob.bytes.cancel();
      finish(blob.status, 0);
      return createBlobResponse(blob, alias, new Blob([]).stream());
    }
    return createBlobResponse(blob, alias, streamBytes(blob.bytes, blob.status, outgoing));
  }
  const headers = {
    ...alias,
    "content-type": "application/x-ndjson; charset=utf-8",
    "cache-control": "private, no-store",
  };
  if (isHead) {
    finish(200, 0);
    return new Response(null, { headers });
  }
  const stream =
    "pieces" in result
      ? streamEncodedLines(result.pieces, requestId, outgoing)
      : streamNdjson(result.lines, requestId, outgoing);
  return new Response(stream, { headers });
}

const maxUnstreamedBytes = 256 * 1024;
const pieceBytes = 64 * 1024;

/** Streams a large answer, so that it counts as one of its token's reads until the client has taken it. */
function createEncodedResponse(
  bytes: Uint8Array<ArrayBuffer>,
  isHead: boolean,
  requestId: string,
  outgoing: Outgoing,
): Response {
  if (isHead || bytes.byteLength <= maxUnstreamedBytes) {
    outgoing.finish(200, isHead ? 0 : bytes.byteLength);
    return createDataResponse(requestId, bytes);
  }
  const stream = streamBytes(streamPieces(bytes), 200, outgoing);
  return createJsonResponse(200, stream, { "content-length": String(bytes.byteLength) });
}

function streamPieces(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (at >= bytes.byteLength) return controller.close();
        controller.enqueue(bytes.subarray(at, at + pieceBytes));
        at += pieceBytes;
      },
    },
    { highWaterMark: 0 },
  );
}
