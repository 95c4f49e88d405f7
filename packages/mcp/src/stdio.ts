import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createReaders } from "@pdpp/client/any-server";
import { measureToolResult } from "./layout/measure.ts";
import { createMcpServer } from "./server.ts";

/** Serves MCP on stdio, reading from the server with the client's own token. Nothing else is written to stdout. */
export function serveMcpOnStdio({ url, token }: { readonly url: string; readonly token: string }): void {
  const readers = createReaders({ url, token, measure: measureToolResult });
  const openReader = (requestId: string) => ({ api: readers(requestId) });
  serveStdio(() => createMcpServer({ openReader, secret: token, origin: url }), {
    onerror: (error) => console.error(`pdpp mcp: ${error.message}`),
  });
}
