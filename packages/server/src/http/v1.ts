import { type MatchedRoute, matchRoutes } from "@pdpp/contract/address";
import { PdppError } from "@pdpp/contract/errors";
import type { Warning } from "@pdpp/contract/wire";
import { blobResponse } from "./blob-response.ts";
import { handle, type Result } from "./handlers.ts";
import { metadataPath } from "./metadata.ts";
import type { Pipeline, Session } from "./pipeline.ts";
import { valuesOf } from "./request-input.ts";
import { jsonResponse, protocolVersion } from "./respond.ts";

/** The operations of the contract over HTTP: which one is asked for, and its answer as a response. */
export function v1(
  pipeline: Pipeline,
  onBug: (error: unknown, requestId: string) => void,
): (request: Request, requestId: string) => Promise<Response> {
  return async (request, requestId) => {
    checkVersion(request);
    const url = new URL(request.url);
    const route = findRoute(url.pathname, request.method);
    const session = await pipeline.admit(request, requestId, metadataPath);
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
  if (found === null) throw new PdppError("invalid_request", "the path has broken percent-encoding");
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
  const asked = { name: route.name, stream: route.params.stream, values };
  const result = await exchange.run(asked, (bound, input) => handle(route.name, { ...bound, request, onBug }, input));
  return toResponse(result, warnings, request.method === "HEAD", (status, bytes) => {
    session.end();
    exchange.sent(status, bytes);
  });
}

/** The result as a response; what was let out is noted when the last byte has gone. */
function toResponse(
  result: Result,
  warnings: readonly Warning[],
  head: boolean,
  finish: (status: number, bytes: number) => void,
): Response {
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
  const meta = "meta" in json && typeof json.meta === "object" ? json.meta : null;
  const held = meta !== null && "warnings" in meta && Array.isArray(meta.warnings) ? meta.warnings : [];
  return { ...json, meta: { ...meta, warnings: [...held, ...warnings] } };
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
