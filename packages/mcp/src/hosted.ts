import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { ReadApi } from "@pdpp/contract/operations";
import { type CallReader, createMcpServer } from "./server.ts";

const maxBodyBytes = 256 * 1024;

/** A reader for one call, with a callback for the size of the response. */
interface HostedReader {
  readonly api: ReadApi;
  onSent(bytes: number): void;
}

export interface HostedParts {
  /** Opens a new reader for each call. */
  readonly openReader: () => HostedReader;
  readonly token: string;
  readonly requestId: string;
  /** The server's URL as the client knows it. */
  readonly origin: string;
  readonly onBug: (error: unknown) => void;
}

/** Answers one authorized MCP request over HTTP. Stateless. */
export async function answerMcp(
  request: Request,
  { openReader, token, requestId, origin, onBug }: HostedParts,
): Promise<Response> {
  const calls: { readonly reader: HostedReader; readonly result: object | undefined }[] = [];
  const openCall = (): CallReader => {
    const reader = openReader();
    return { api: reader.api, onEnd: (result) => void calls.push({ reader, result }) };
  };
  const createServer = () =>
    createMcpServer({ openReader: openCall, secret: token, origin, newRequestId: () => requestId, onBug });
  const { whole, parsedBody } = await readBody(request);
  const answer =
    request.method === "POST" && (await isLegacyRequest(whole, parsedBody, { maxRequestBodySize: maxBodyBytes }))
      ? answerLegacyRequest(createServer(), whole, parsedBody)
      : createMcpHandler(createServer, {
          maxRequestBodySize: maxBodyBytes,
          maxSubscriptions: 0,
          keepAliveMs: 0,
        }).fetch(whole, { parsedBody });
  const { response, bytes } = await bufferResponse(await answer);
  // A single call accounts for the whole response; in a batch each call accounts for its own result.
  for (const { reader, result } of calls) {
    if (result === undefined) reader.onSent(0);
    else reader.onSent(calls.length === 1 ? bytes : Buffer.byteLength(JSON.stringify(result)));
  }
  return request.headers.get("mcp-method") === "subscriptions/listen" ? rejectSubscriptions(response) : response;
}

/**
 * Answers a request of an older protocol revision with one JSON document, which is cheaper than the single-event
 * stream the library sends by default.
 */
async function answerLegacyRequest(server: Server, request: Request, parsedBody: unknown): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: true,
    maxRequestBodySize: maxBodyBytes,
  });
  await server.connect(transport);
  return transport.handleRequest(request, { parsedBody });
}

/** Parses the body where that is safe. If the library has to parse it, it clones the request, which is expensive. */
async function readBody(request: Request): Promise<{ whole: Request; parsedBody?: unknown }> {
  const declared = Number(request.headers.get("content-length") ?? Number.NaN);
  if (request.method !== "POST" || !(declared <= maxBodyBytes)) return { whole: request };
  const body = await request.text();
  try {
    return { whole: request, parsedBody: JSON.parse(body) };
  } catch {
    return { whole: new Request(request, { body }) };
  }
}

/** Reads the whole response, so that the log records its real size. */
async function bufferResponse(answer: Response): Promise<{ response: Response; bytes: number }> {
  if (answer.body === null) return { response: answer, bytes: 0 };
  const { status, headers } = answer;
  const body = await answer.arrayBuffer();
  return { response: new Response(body, { status, headers }), bytes: body.byteLength };
}

interface JsonRpcError {
  readonly id: string | number | null;
  readonly error?: { readonly code: number };
}

/**
 * There is nothing to subscribe to. The library reports a reached limit; the protocol requires "method not found".
 */
async function rejectSubscriptions(response: Response): Promise<Response> {
  const answer = (await response.json()) as JsonRpcError;
  if (answer.error?.code !== internalError) return Response.json(answer, { status: response.status });
  const error = { code: methodNotFound, message: "Method not found" };
  return Response.json({ jsonrpc: "2.0", id: answer.id, error }, { status: 404 });
}

const internalError = -32603;
const methodNotFound = -32601;
