import { createServer, type Server } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { errorEnvelope, PdppError } from "@pdpp/contract/errors";
import { createApp } from "./app.ts";
import { loadDemo } from "./demo/load-demo.ts";
import { openStore } from "./store/store.ts";

export interface ServeOptions {
  readonly dataDir: string;
  readonly databaseUrl?: string;
  readonly port: number;
  readonly host: string;
  readonly publicUrl?: string;
  readonly allowedHosts?: readonly string[];
  readonly clientQueries?: boolean;
  /** Fill an empty vault with the demo household, and hand out a token to read it. */
  readonly demo?: boolean;
  readonly onProgress?: (message: string) => void;
}

export interface Running {
  readonly url: string;
  /** With `demo`: a token that reads the whole demo vault. */
  readonly demoToken?: string;
  close(): Promise<void>;
}

/** Long keys travel percent-encoded in the path, so headers may be larger than Node's default. */
const maxHeaderBytes = 64 * 1024;
const closeAfterMs = 3000;

export async function serve(options: ServeOptions): Promise<Running> {
  const onBug = (error: unknown, requestId?: string) =>
    console.error(`pdpp: ${requestId ?? "background work"} failed:`, error);
  const store = await openStore(options, (error) => onBug(error));
  try {
    const demoToken = options.demo ? await loadDemo(store, Date.now(), options.onProgress) : undefined;
    const { publicUrl, allowedHosts, clientQueries } = options;
    const app = createApp({
      store,
      onBug,
      ...(publicUrl === undefined ? {} : { publicUrl }),
      ...(allowedHosts === undefined ? {} : { allowedHosts }),
      ...(clientQueries === undefined ? {} : { clientQueries }),
    });
    const server = createServer({ maxHeaderSize: maxHeaderBytes, requestTimeout: 0 }, getRequestListener(app.fetch));
    answerUnreadable(server);
    await listen(server, options.port, options.host);
    const address = server.address();
    const port = typeof address === "object" ? address?.port : options.port;
    const shown = options.host.includes(":") ? `[${options.host}]` : options.host;
    const reindexing = store.reindex().catch((error) => onBug(error));
    return {
      url: publicUrl ?? `http://${shown}:${port}`,
      ...(demoToken === undefined ? {} : { demoToken }),
      async close() {
        await closeServer(server);
        await reindexing;
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const advice =
        error.code === "EADDRINUSE"
          ? `port ${port} is taken; choose another with --port N (npm start -- --port N)`
          : error.message;
      reject(new PdppError("unavailable", `cannot listen on ${host}:${port}: ${advice}`));
    });
    server.listen(port, host, () => resolve());
  });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), closeAfterMs).unref();
  });
}

/** What Node cannot read as a request still gets an answer in the common shape. */
function answerUnreadable(server: Server): void {
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable) return socket.destroy();
    const tooLarge = error.code === "HPE_HEADER_OVERFLOW";
    const problem = tooLarge
      ? new PdppError("headers_too_large", `the request's headers are larger than ${maxHeaderBytes} bytes`)
      : new PdppError("invalid_request", "the request is not well-formed HTTP");
    const body = JSON.stringify(errorEnvelope(problem));
    const head = `HTTP/1.1 ${problem.status} ${tooLarge ? "Request Header Fields Too Large" : "Bad Request"}`;
    socket.end(
      `${head}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    );
  });
}
