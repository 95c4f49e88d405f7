import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createClient } from "@pdpp/contract/client";
import { createMcpServer } from "./server.ts";

/** The adapter on stdio: what it reads, it asks the server for, with the client's own token. Nothing else is on stdout. */
export function serveMcpOnStdio({ url, token }: { readonly url: string; readonly token: string }): void {
  const open = (requestId: string) => ({ api: createClient({ url, token, requestId }) });
  serveStdio(() => createMcpServer({ open, secret: token }), {
    onerror: (error) => console.error(`pdpp mcp: ${error.message}`),
  });
}
