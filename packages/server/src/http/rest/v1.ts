import { type MatchedRoute, matchRoutes } from "@pdpp/contract/address";
import { PdppError } from "@pdpp/contract/errors";
import type { Warning } from "@pdpp/contract/wire";
import { metadataPath } from "../metadata.ts";
import type { Ending } from "../request/access-note.ts";
import { byteStream, ndjson, type Outgoing } from "../request/answer-stream.ts";
import type { Pipeline, Session } from "../request/pipeline.ts";
import { valuesOf } from "../request/request-input.ts";
import { asProblem, jsonResponse, protocolVersion, withWarnings } from "../respond.ts";
import type { EncodedAnswer } from "../threads/reading-threads.ts";
import { blobResponse } from "./blob-response.ts";
import { handle, type Result } from "./handlers.ts";

/** The operations of the contract over HTTP: which one is asked for, and its answer as a response. */
export function v1(
  pipeline: Pipeline,
  onBug: (error: unknown, requestId: string) => void,
): (request: Request, requestId: string) => Promise<Response> {
  return async (request, requestId) => {
    checkVersion(request);
    const url = new URL(request.url);
    const route = findRoute(url.pathname, request.method);
    const session = await pipeline.admit(request, requestId, metadataPath, route.name);
    try {
      const report = (error: unknown) => onBug(error, requestId);
      return await answer(route, url, request, session, report);
    } catch (error) {
      session.end();
      throw error;
    }
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

async function answer(
  route: MatchedRoute,
  url: URL,
  request: Request,
  session: Session,
  onBug: (error: unknown) => void,
): Promise<Response> {
  const exchange = session.open();
  const warnings: Warning[] = [];
  const values = () => valuesOf(route, url, (warning) => warnings.push(warning));
  const asked = { name: route.name, stream: route.params.stream, values, warnings };
  const result = await exchange.run<typeof route.name, Result>(
    asked,
    (bound, input) => handle(route.name, { ...bound, request, onBug }, input),
    (answer) => answer,
  );
  const done = (status: number, bytes: number, ending?: Ending): void => {
    session.end();
    exchange.sent(status, bytes, ending);
  };
  const problemOf = (error: unknown) => asProblem(error, onBug);
  const outgoing = { guard: session.guard, problemOf, begin: exchange.sending, done };
  return toResponse(result, warnings, request.method === "HEAD", session.requestId, outgoing);
}

const sentAtOnce = 256 * 1024;
const pieceBytes = 64 * 1024;

/** Large answers go out as they are taken, and count as their token's until they are out. */
function heavyResponse({ bytes, end }: EncodedAnswer, head: boolean, outgoing: Outgoing): Response {
  if (head || bytes.byteLength <= sentAtOnce) {
    end();
    outgoing.done(200, head ? 0 : bytes.byteLength);
    return jsonResponse(200, bytes, {});
  }
  const done: Outgoing["done"] = (...ending) => {
    end();
    outgoing.done(...ending);
  };
  const stream = byteStream(piecesOf(bytes), 200, { ...outgoing, done });
  return jsonResponse(200, stream, { "content-length": String(bytes.byteLength) });
}

function piecesOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
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

/** The result as a response; what was let out is noted when the last byte has gone. */
function toResponse(
  result: Result,
  warnings: readonly Warning[],
  head: boolean,
  requestId: string,
  outgoing: Outgoing,
): Response {
  const { done: finish } = outgoing;
  const alias =
    warnings.length === 0 ? {} : { "pdpp-warning": warnings.map(({ code, param }) => `${code}: ${param}`).join(", ") };
  if ("json" in result) {
    const text = JSON.stringify(withWarnings(result.json, warnings));
    finish(200, head ? 0 : Buffer.byteLength(text));
    return jsonResponse(200, text, {});
  }
  if ("bytes" in result) return heavyResponse(result, head, outgoing);
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
    return blobResponse(blob, alias, byteStream(blob.bytes, blob.status, outgoing));
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
  return new Response(ndjson(result.lines, requestId, outgoing), { headers });
}
