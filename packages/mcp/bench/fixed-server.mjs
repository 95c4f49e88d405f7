// What tool calls are measured against: a bare server of the library that lists the same tools and returns the same results, without reading
// anything. It stands here so that it loads the very library that the adapter loads.
import { Server, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

/** `results` are by tool name. */
export function createFixedServer({ tools, results }) {
  const createServer = () => {
    const server = new Server({ name: "fixed", version: "1.0.0" }, { capabilities: { tools: {} } });
    server.setRequestHandler("tools/list", () => ({ tools }));
    server.setRequestHandler("tools/call", ({ params }) => results[params.name]);
    return server;
  };
  return {
    async answer(request) {
      const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
      await createServer().connect(transport);
      return transport.handleRequest(request, { parsedBody: JSON.parse(await request.text()) });
    },
    serveStdio: () => serveStdio(createServer),
  };
}
