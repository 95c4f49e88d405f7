import { createMcpHandler } from "@modelcontextprotocol/server";
import { type CallReader, createMcpServer } from "./server.ts";

const maxBodyBytes = 256 * 1024;

export interface HostedParts {
  /** For each call a reader of its own. */
  readonly open: () => CallReader;
  readonly token: string;
  readonly requestId: string;
  readonly onBug: (error: unknown) => void;
}

/** The same surface over HTTP, for one request that was authorised already. Nothing is kept between two. */
export async function answerMcp(request: Request, { open, token, requestId, onBug }: HostedParts): Promise<Response> {
  const handler = createMcpHandler(
    () => createMcpServer({ open, secret: token, newRequestId: () => requestId, onBug }),
    { maxRequestBodySize: maxBodyBytes, maxSubscriptions: 0, keepAliveMs: 0 },
  );
  const response = await wholeOf(await handler.fetch(request));
  return request.headers.get("mcp-method") === "subscriptions/listen" ? withoutSubscriptions(response) : response;
}

/**
 * To the older revisions an answer is a stream of one message, and the tool works while it is read: whoever waits for the
 * answer, and counts the request as under way until then, waits for all of it.
 */
async function wholeOf(response: Response): Promise<Response> {
  if (response.body === null) return response;
  const { status, headers } = response;
  return new Response(await response.arrayBuffer(), { status, headers });
}

interface JsonRpcError {
  readonly id: string | number | null;
  readonly error?: { readonly code: number };
}

/** There is nothing to subscribe to: the library calls that a limit that was reached, the protocol an unknown method. */
async function withoutSubscriptions(response: Response): Promise<Response> {
  const answer = (await response.json()) as JsonRpcError;
  if (answer.error?.code !== internalError) return Response.json(answer, { status: response.status });
  const error = { code: methodNotFound, message: "Method not found" };
  return Response.json({ jsonrpc: "2.0", id: answer.id, error }, { status: 404 });
}

const internalError = -32603;
const methodNotFound = -32601;
