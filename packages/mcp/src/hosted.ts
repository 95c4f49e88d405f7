import { createMcpHandler } from "@modelcontextprotocol/server";
import type { ReadApi } from "@pdpp/contract/operations";
import { createMcpServer } from "./server.ts";

const maxBodyBytes = 256 * 1024;

export interface HostedParts {
  readonly api: ReadApi;
  readonly token: string;
  readonly requestId: string;
  readonly onBug: (error: unknown) => void;
}

/** The same surface over HTTP, for one request that was authorised already. Nothing is kept between two. */
export function answerMcp(request: Request, { api, token, requestId, onBug }: HostedParts): Promise<Response> {
  const handler = createMcpHandler(
    () => createMcpServer({ open: () => api, secret: token, newRequestId: () => requestId, onBug }),
    { maxRequestBodySize: maxBodyBytes, maxSubscriptions: 0, keepAliveMs: 0 },
  );
  return handler.fetch(request);
}
