import { createServer, type Server, type ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { getRequestListener } from "@hono/node-server";
import type { ImportService } from "@pdpp/console/import/import-service";
import type { SourceService } from "@pdpp/console/sources/source-service";
import { buildErrorEnvelope, PdppError } from "@pdpp/contract/errors";
import { createApp } from "./app.ts";
import { loadDemo } from "./demo/load-demo.ts";
import { type ConnectionLimits, defaultConnectionLimits, limitConnections } from "./http/connections.ts";
import { isLocalOnly } from "./http/hosts.ts";
import { listenOn, localhostName, pickFreePort } from "./http/listen.ts";
import { createReadingThreads, type ThreadLimits } from "./http/threads/reading-threads.ts";
import { isEncrypted, isPlainAllowed, refusePlain } from "./http/tls/plain-requests.ts";
import { describeWrongName, getCertificateUrl, openTls, type Tls, type TlsOptions } from "./http/tls/tls.ts";
import { createTlsFront } from "./http/tls/tls-front.ts";
import { releaseMemoryWhenIdle } from "./idle-memory.ts";
import { createObserver } from "./observe/observer.ts";
import { readVaultFigures } from "./observe/vault-figures.ts";
import { finishRemovals } from "./owner/connections.ts";
import { createOwner } from "./owner/owner.ts";
import { findFirstOwner } from "./owner/owners.ts";
import { toPagesUrl } from "./pages-url.ts";
import { derivePeopleInBackground } from "./people/background.ts";
import { createReadOnlyError } from "./store/engine/engine.ts";
import { openStore, type Store } from "./store/store.ts";

export interface ServeOptions {
  readonly dataDir: string;
  readonly databaseUrl?: string;
  readonly databaseReadUrl?: string;
  readonly port: number;
  readonly host: string;
  readonly publicUrl?: string;
  readonly allowedHosts?: readonly string[];
  readonly clientQueries?: boolean;
  /** For tests, which cannot wait for the defaults. */
  readonly limits?: Partial<ConnectionLimits>;
  readonly strictLog?: boolean;
  readonly threadLimits?: Partial<ThreadLimits>;
  readonly demo?: boolean;
  readonly onProgress?: (message: string) => void;
  readonly imports?: ImportService;
  readonly importPaths?: boolean;
  /** Collects the sources of the vault until it is closed. */
  readonly startCollecting?: (parts: CollectingParts) => SourceService & { close(): Promise<void> };
  /** Receives a line of JSON for each request. */
  readonly onRequestLine?: (line: string) => void;
  /** Opens GET /metrics and nothing else. */
  readonly metricsToken?: string;
  /** Serves https. The public address defaults to the certificate's first name. */
  readonly tls?: TlsOptions;
}

interface CollectingParts {
  readonly store: Store;
  readonly onBug: (error: unknown) => void;
}

export interface RunningServer {
  readonly url: string;
  /** Where programs of this computer, such as a proxy, reach a server whose address is another. */
  readonly localUrl?: string;
  readonly demoToken?: string;
  readonly signInUrl: string;
  close(): Promise<void>;
}

/** Long keys are percent-encoded in the path, so Node's default is too small. */
const maxHeaderBytes = 64 * 1024;
const keepReserveMs = 60_000;

export async function serve(options: ServeOptions): Promise<RunningServer> {
  const onBug = (error: unknown, requestId?: string) =>
    console.error(
      `pdpp: ${requestId ?? "background work"} failed:`,
      error instanceof PdppError ? error.message : error,
    );
  const report = (message: string) => console.error(`pdpp: ${message}`);
  // Before the vault is opened, because a broken certificate is found quickly.
  const address = await findAddress(options, report);
  const store = await openStore(options, (error) => onBug(error));
  let collecting: ReturnType<NonNullable<ServeOptions["startCollecting"]>> | undefined;
  try {
    if (store.engine.readOnly !== undefined) throw createReadOnlyError(store.engine.readOnly);
    const demoToken = options.demo ? await loadDemo(store, Date.now(), options.onProgress) : undefined;
    store.log.prepare();
    store.reserve.keep();
    const keeping = setInterval(() => store.reserve.keep(), keepReserveMs).unref();
    await store.log.adopt().catch((error) => onBug(error));
    const { clientQueries, strictLog, dataDir, databaseUrl } = options;
    const { publicUrl, allowedHosts, tls, port } = address;
    const location = { dataDir, secret: store.secret, ...(databaseUrl === undefined ? {} : { databaseUrl }) };
    const closing = new AbortController();
    const observer = createObserver({
      onLine: options.onRequestLine,
      measured: {
        vault: (ownerNo) => readVaultFigures(store, ownerNo, Date.now()),
        reads: () => threads.getLoad(),
        certificateExpiry: () => tls?.certificate.expiresAt,
      },
    });
    const threads = createReadingThreads(location, options.threadLimits, {
      onStarted: observer.waitedForThread,
      onThreadEnded: () => memory.noteGarbage(),
    });
    let url = publicUrl ?? "";
    collecting = options.startCollecting?.({ store, onBug });
    const app = createApp({
      store,
      localUrl: () => url,
      threads,
      onBug,
      observer,
      metricsToken: options.metricsToken,
      ...(publicUrl === undefined ? {} : { publicUrl }),
      ...(allowedHosts === undefined ? {} : { allowedHosts }),
      endsTls: tls !== undefined,
      ...(clientQueries === undefined ? {} : { clientQueries }),
      ...(strictLog === undefined ? {} : { strictLog }),
      ...(options.imports === undefined ? {} : { imports: options.imports }),
      ...(collecting === undefined ? {} : { sources: collecting }),
      ownDisk: options.importPaths === true || isLocalOnly(options.host, address),
    });
    const memory = releaseMemoryWhenIdle();
    const limits = { ...defaultConnectionLimits, ...options.limits };
    const answer = getRequestListener(app.fetch);
    const server = createServer(
      {
        maxHeaderSize: maxHeaderBytes,
        // An ingest takes as long as it takes, as long as `limitConnections` sees it move.
        requestTimeout: 0,
        headersTimeout: limits.headersMs,
        connectionsCheckingInterval: limits.checkEveryMs,
      },
      (request, response) => {
        memory.noteGarbage();
        observer.observe(request, response);
        if (closing.signal.aborted) refuseRequest(response);
        else if (tls !== undefined && !isEncrypted(request) && !isPlainAllowed(request))
          refusePlain(request, response, new URL(url).origin);
        else void answer(request, response);
      },
    );
    const gate = limitConnections(server, limits);
    const front = tls && createTlsFront(server, tls.certificate, gate, limits.headersMs);
    answerMalformedRequests(server);
    // A write, so that a server on a database that cannot be written fails before it listens.
    const signInCode = await createOwner({
      store,
      ownerNo: await findFirstOwner(store),
      now: Date.now,
    }).signIn.newCode();
    const listening = await listenOn(server, port, options.host, front?.accept);
    const renewing = front && tls?.watch(front.use, report);
    const named = options.host === localhostName ? "127.0.0.1" : options.host;
    const shown = named.includes(":") ? `[${named}]` : named;
    const plainUrl = `http://${shown}:${listening.port}`;
    url = publicUrl ?? plainUrl;
    const signInUrl = `${toPagesUrl(url)}/sign-in#${signInCode}`;
    const reindexing = reindexUntilDone(store, onBug, closing.signal);
    const removing = finishRemovals(store, Date.now()).catch((error) => {
      if (!closing.signal.aborted) onBug(error);
    });
    const derivingPeople = derivePeopleInBackground(store, onBug, closing.signal);
    return {
      url,
      ...(url === plainUrl ? {} : { localUrl: plainUrl }),
      signInUrl,
      ...(demoToken === undefined ? {} : { demoToken }),
      async close() {
        clearInterval(keeping);
        memory.close();
        observer.close();
        closing.abort();
        renewing?.close();
        front?.close();
        await Promise.all([listening.close(), options.imports?.close(), collecting?.close()]);
        await threads.close();
        await derivingPeople;
        await store.close();
        await Promise.all([reindexing, removing]);
      },
    };
  } catch (error) {
    await Promise.all([options.imports?.close(), collecting?.close()]);
    await store.close();
    throw error;
  }
}

interface Address {
  readonly publicUrl?: string | undefined;
  readonly allowedHosts?: readonly string[] | undefined;
  readonly tls?: Tls;
  readonly port: number;
}

/** The names of a server: those it was given, and with TLS, those of its certificate. */
async function findAddress(options: ServeOptions, report: (message: string) => void): Promise<Address> {
  const { publicUrl, allowedHosts = [], port, host } = options;
  if (options.tls === undefined) return { publicUrl, allowedHosts: options.allowedHosts, port };
  const tls = await openTls(options.tls);
  const chosen = port === 0 ? await pickFreePort(host) : port;
  const url = publicUrl ?? getCertificateUrl(tls.certificate, chosen);
  if (!url.startsWith("https:"))
    throw new PdppError("unavailable", "--public-url has to start with https:// if the server has a certificate");
  const warning = describeWrongName(tls.certificate, url);
  if (warning !== undefined) report(warning);
  return { publicUrl: url, allowedHosts: [...allowedHosts, ...tls.certificate.names], tls, port: chosen };
}

const retryMs = 5000;

/** Reindexes for changed manifests. Tries again while the database is unavailable or locked. */
async function reindexUntilDone(store: Store, onBug: (error: unknown) => void, closing: AbortSignal): Promise<void> {
  while (!closing.aborted) {
    try {
      return await store.reindex();
    } catch (error) {
      if (!(error instanceof PdppError) || error.code !== "unavailable") return onBug(error);
    }
    await wait(retryMs, undefined, { signal: closing, ref: false }).catch(() => undefined);
  }
}

/** Clients keep connections open and would go on sending requests to a server that stops. */
function refuseRequest(response: ServerResponse): void {
  const problem = new PdppError("unavailable", "the server is shutting down; try again in a moment", {
    retry_after_seconds: 5,
  });
  const body = JSON.stringify(buildErrorEnvelope(problem));
  response.writeHead(problem.status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    "retry-after": "5",
    connection: "close",
  });
  response.end(body);
}

function answerMalformedRequests(server: Server): void {
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable) return socket.destroy();
    const { problem, title } = describeMalformed(error.code);
    const body = JSON.stringify(buildErrorEnvelope(problem));
    const head = `HTTP/1.1 ${problem.status} ${title}`;
    socket.end(
      `${head}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    );
  });
}

function describeMalformed(code: string | undefined): { problem: PdppError; title: string } {
  if (code === "HPE_HEADER_OVERFLOW") {
    const message = `the request's headers are larger than ${maxHeaderBytes} bytes`;
    return { problem: new PdppError("headers_too_large", message), title: "Request Header Fields Too Large" };
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    const message = "the request's headers took too long; send it again, all at once";
    return { problem: new PdppError("request_timeout", message), title: "Request Timeout" };
  }
  return {
    problem: new PdppError("invalid_request", "the request is not well-formed HTTP"),
    title: "Bad Request",
  };
}
