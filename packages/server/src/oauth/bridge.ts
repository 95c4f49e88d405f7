import type { IncomingMessage, ServerResponse } from "node:http";
import { toFetchResponse, toReqRes } from "fetch-to-node";

/** Adapts fetch requests to a library written for Node's http module. */

const maxBodyBytes = 64 * 1024;
const passedHeaders = ["accept", "authorization", "content-type", "cookie", "user-agent"];

/**
 * Rebuilds the request for the library: with the server's own name, the required headers and the body. Address claims
 * by proxies or strangers are dropped.
 */
export async function rebuildRequest(request: Request, origin: string): Promise<Request | "too large"> {
  const { pathname, search } = new URL(request.url);
  const headers = new Headers({ host: new URL(origin).host });
  for (const name of passedHeaders) {
    const value = request.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  if (request.method === "GET" || request.method === "HEAD")
    return new Request(`${origin}${pathname}${search}`, { headers, method: request.method });
  const body = await readBoundedBody(request.body, maxBodyBytes);
  if (body === undefined) return "too large";
  headers.set("content-length", String(body.byteLength));
  return new Request(`${origin}${pathname}${search}`, { headers, method: request.method, body });
}

/** Undefined when the body is too large. */
export async function readBoundedBody(
  body: ReadableStream<Uint8Array> | null,
  largest: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.byteLength;
    if (size > largest) return undefined;
    parts.push(part);
  }
  return new Uint8Array(Buffer.concat(parts));
}

export interface NodeExchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

export function createNodeExchange(plain: Request): NodeExchange & { answer(): Promise<Response> } {
  const { req, res } = toReqRes(plain);
  const encrypted = new URL(plain.url).protocol === "https:";
  // The library only asks the socket whether the connection is encrypted.
  Object.defineProperty(req, "socket", { value: { encrypted, remoteAddress: "127.0.0.1", destroy: () => undefined } });
  return { req, res, answer: () => toFetchResponse(res) };
}
