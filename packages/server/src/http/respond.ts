import { buildErrorEnvelope, PdppError } from "@pdpp/contract/errors";
import type { Warning } from "@pdpp/contract/wire";
import { createRandomText } from "../random-text.ts";

export const protocolVersion = "2026-04-06";

const requestIdPattern = /^[A-Za-z0-9._:-]{1,128}$/;

/** The caller's request id if it is safe for headers and logs, or a new one. */
export function getRequestId(request: Request): string {
  const said = request.headers.get("request-id") ?? request.headers.get("x-request-id") ?? "";
  return requestIdPattern.test(said) ? said : createRequestId();
}

/** Starts with the time, so that the access log adds it at the end of its index. */
const createRequestId = (): string => `req_${Date.now().toString(36)}${createRandomText(6)}`;

export const buildCommonHeaders = (requestId: string): Record<string, string> => ({
  "request-id": requestId,
  "x-request-id": requestId,
  "pdpp-version": protocolVersion,
  "x-content-type-options": "nosniff",
});

export function createJsonResponse(
  status: number,
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
  headers: Record<string, string>,
): Response {
  return new Response(body, {
    status,
    headers: { ...headers, "content-type": "application/json; charset=utf-8", "cache-control": "private, no-store" },
  });
}

const completeResponses = new WeakSet<Response>();

/** Has all its headers from the start: the adapter builds the headers of a response only when somebody reads or sets one. */
export function createDataResponse(requestId: string, body: string | Uint8Array<ArrayBuffer>): Response {
  const response = createJsonResponse(200, body, buildCommonHeaders(requestId));
  completeResponses.add(response);
  return response;
}

export const isComplete = (response: Response): boolean => completeResponses.has(response);

export function createProblemResponse(
  error: PdppError,
  requestId: string,
  headers: Record<string, string> = {},
): Response {
  const extra: Record<string, string> = {};
  const { resource_metadata: metadata, token_error: fault, retry_after_seconds: retryAfter } = error.details;
  if (error.status === 401) {
    const said = [
      ...(fault === undefined ? [] : [`error="${fault}"`]),
      ...(metadata === undefined ? [] : [`resource_metadata="${metadata}"`]),
    ];
    extra["www-authenticate"] = ["Bearer", said.join(", ")].join(" ").trim();
  }
  if (retryAfter !== undefined) extra["retry-after"] = String(retryAfter);
  return createJsonResponse(error.status, JSON.stringify(buildErrorEnvelope(error, requestId)), {
    ...buildCommonHeaders(requestId),
    ...headers,
    ...extra,
  });
}

/** Any other error is a bug: it is logged in full, and the client sees only the request id. */
export function toProblem(error: unknown, onBug: (error: unknown) => void): PdppError {
  if (error instanceof PdppError) return error;
  onBug(error);
  return new PdppError("api_error", "internal error; the server's log has the details under this request id");
}

export function addWarnings(json: object, warnings: readonly Warning[]): object {
  if (warnings.length === 0) return json;
  const meta = "meta" in json && typeof json.meta === "object" ? json.meta : null;
  const held = meta !== null && "warnings" in meta && Array.isArray(meta.warnings) ? meta.warnings : [];
  return { ...json, meta: { ...meta, warnings: [...held, ...warnings] } };
}
