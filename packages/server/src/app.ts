import type { ImportService, OwnerSession, SourceService } from "@pdpp/console";
import { createConsole, renderBugPage, renderErrorPage, renderUnknownPathPage } from "@pdpp/console";
import { PdppError } from "@pdpp/contract/errors";
import { buildOpenApiDocument } from "@pdpp/contract/openapi";
import type { OwnerApi } from "@pdpp/contract/owner";
import { Hono } from "hono";
import { createSignIn } from "./auth/sign-in.ts";
import { longerBodies } from "./body-limits.ts";
import { checkHost, checkOrigin, getOrigin } from "./http/hosts.ts";
import { measureToolResult } from "./http/http-reader.ts";
import { createMcpEndpoint, createToolPreview } from "./http/mcp.ts";
import {
  buildDiscoveryIndex,
  buildMcpMetadata,
  buildResourceMetadata,
  formatIconLink,
  mcpPath,
  metadataPath,
} from "./http/metadata.ts";
import { describePeer, formatPeer, type Peer, type PeerSocket } from "./http/peer.ts";
import { limitBody } from "./http/request/body-limit.ts";
import { createPipeline } from "./http/request/pipeline.ts";
import {
  buildCommonHeaders,
  createJsonResponse,
  createProblemResponse,
  getRequestId,
  isComplete,
  toProblem,
} from "./http/respond.ts";
import { createRestHandler } from "./http/rest/v1.ts";
import { skillRoutes } from "./http/skills.ts";
import { createOwnerReader } from "./http/threads/owner-reader.ts";
import type { ReadingThreads } from "./http/threads/reading-threads.ts";
import { findStrictTransport } from "./http/tls/plain-requests.ts";
import { addAuthorizationRoutes } from "./oauth/authorization.ts";
import type { DocumentFetch } from "./oauth/documents.ts";
import { createPendingRequests } from "./oauth/pending-requests.ts";
import { createMetricsRoute } from "./observe/metrics-route.ts";
import type { Observer } from "./observe/observer.ts";
import { createOwner } from "./owner/owner.ts";
import { listOwners } from "./owner/owners.ts";
import { createOwnerCopies } from "./owner-copies.ts";
import { toPagesUrl } from "./pages-url.ts";
import type { PictureBlob } from "./store/blobs/thumbnails.ts";
import { checkSchema, NewerSchemaError } from "./store/engine/migrate.ts";
import type { Store } from "./store/store.ts";
import { version } from "./version.ts";

export interface AppOptions {
  readonly store: Store;
  readonly publicUrl?: string;
  /** The address for links that people open, when there is no public URL. */
  readonly localUrl?: () => string;
  readonly allowedHosts?: readonly string[];
  /** Whether the server has a certificate itself. Otherwise a proxy answers at a public https address. */
  readonly endsTls?: boolean;
  readonly clientQueries?: boolean;
  readonly maxAnswerMs?: number;
  readonly strictLog?: boolean;
  readonly now?: () => number;
  readonly documentFetch?: DocumentFetch;
  /** For heavy reads. Without them this thread does every read. */
  readonly threads?: ReadingThreads;
  readonly onBug?: (error: unknown, requestId: string) => void;
  /** Imports exports for owners; without it the pages name the command to run. */
  readonly imports?: ImportService;
  /** Collects live sources; without it the pages name the command to run. */
  readonly sources?: SourceService;
  /** Whether the owner may name files on this computer: they sit at it, or the operator allows it. */
  readonly ownDisk?: boolean;
  readonly observer?: Pick<Observer, "identify" | "formatMetrics" | "countOperation">;
  /** Opens GET /metrics and nothing else. */
  readonly metricsToken?: string | undefined;
}

interface AppTypes {
  Variables: { requestId: string; url: URL };
  /** Missing in tests that call the app without a socket. */
  Bindings: { incoming?: { readonly socket: PeerSocket } };
}

const logBug = (error: unknown, requestId: string): void => console.error(`pdpp: request ${requestId} failed:`, error);

const defaultUrl = "http://127.0.0.1:7663";

const anyHostPaths: ReadonlySet<string> = new Set(["/healthz", "/readyz"]);

const isPageRequest = ({ headers }: Request): boolean => /\btext\/html\b/.test(headers.get("accept") ?? "");

/** Pages and discovery documents carry the icon; data needs none. */
const shouldLinkIcon = (pathname: string, { headers }: Response): boolean =>
  pathname === "/" ||
  pathname === mcpPath ||
  pathname.includes("/.well-known/") ||
  /^text\/html\b/.test(headers.get("content-type") ?? "");

/** Programs call these directly, so a web page has no business here, whatever its request would achieve. */
const directPaths = /^\/(oauth\/(token|register|revoke|par|device_authorization)|agent-connect(\/.*)?|introspect)$/;

const isForPrograms = (pathname: string): boolean => pathname.startsWith("/v1/") || pathname === mcpPath;

const isForPerson = (request: Request): boolean =>
  isPageRequest(request) && !isForPrograms(new URL(request.url).pathname);

/** Their errors are JSON by protocol, whatever the client accepts. */
const jsonErrorPaths = /^\/(oauth|healthz|readyz|metrics)(\/|$)/;

export function createApp(options: AppOptions): Hono<AppTypes> {
  const {
    store,
    publicUrl,
    localUrl = () => defaultUrl,
    allowedHosts,
    endsTls = false,
    clientQueries = true,
    now = Date.now,
    onBug = logBug,
    maxAnswerMs,
    strictLog,
    threads,
    documentFetch,
    imports,
    sources,
    ownDisk = false,
    observer,
    metricsToken,
  } = options;
  const policy = { publicUrl, allowedHosts };
  const getPagesUrl = () => toPagesUrl(publicUrl === undefined ? localUrl() : new URL(publicUrl).origin);
  const strictTransport = endsTls && publicUrl !== undefined ? findStrictTransport(publicUrl) : undefined;
  const app = new Hono<AppTypes>();

  app.use(async (c, next) => {
    const requestId = getRequestId(c.req.raw);
    c.set("requestId", requestId);
    if (c.env?.incoming !== undefined) observer?.identify(c.env.incoming, requestId);
    const url = new URL(c.req.url);
    c.set("url", url);
    const { pathname } = url;
    if (!anyHostPaths.has(pathname)) checkHost(url, policy);
    if (isForPrograms(pathname) || directPaths.test(pathname)) checkOrigin(c.req.raw, policy);
    await next();
    if (strictTransport === undefined && isComplete(c.res)) return;
    for (const [name, value] of Object.entries(buildCommonHeaders(requestId))) c.res.headers.set(name, value);
    if (strictTransport !== undefined && c.req.url.startsWith("https:"))
      c.res.headers.set("strict-transport-security", strictTransport);
    // The rest of a body that is too large is not worth receiving.
    if (c.res.status === 413) c.res.headers.set("connection", "close");
    if (shouldLinkIcon(pathname, c.res)) c.res.headers.append("link", formatIconLink(getOrigin(c.req.raw, policy)));
  });
  const peers = new WeakMap<Request, Peer>();
  app.use(async (c, next) => {
    c.req.raw = limitBody(c.req.raw, longerBodies);
    peers.set(c.req.raw, describePeer(c.env?.incoming?.socket));
    await next();
  });
  app.onError((error, c) => {
    const requestId = c.get("requestId");
    const problem = toProblem(error, (bug) => onBug(bug, requestId));
    if (!isForPerson(c.req.raw)) return createProblemResponse(problem, requestId);
    if (problem.code === "api_error") return renderBugPage(requestId, c.req.raw, pages);
    if (jsonErrorPaths.test(c.req.path)) return createProblemResponse(problem, requestId);
    return renderErrorPage(problem, c.req.raw, pages);
  });
  app.notFound((c) => {
    if (isForPerson(c.req.raw)) return renderUnknownPathPage(c.req.raw, pages);
    const path = new URL(c.req.url).pathname.slice(0, 200);
    return createProblemResponse(
      new PdppError("not_found", `no such path: ${path}; GET / lists where to begin`),
      c.get("requestId"),
    );
  });

  const json = (document: object) => createJsonResponse(200, JSON.stringify(document), {});
  const getRequestOrigin = (request: Request): string => getOrigin(request, policy);
  app.get("/", async (c, next) => {
    if (isPageRequest(c.req.raw)) return next();
    return createJsonResponse(200, JSON.stringify(buildDiscoveryIndex(getRequestOrigin(c.req.raw))), {
      vary: "accept",
    });
  });
  app.get(metadataPath, (c) => json(buildResourceMetadata(getRequestOrigin(c.req.raw))));
  app.get(`${metadataPath}${mcpPath}`, (c) => json(buildMcpMetadata(getRequestOrigin(c.req.raw))));
  app.get(`${mcpPath}${metadataPath}`, (c) => json(buildMcpMetadata(getRequestOrigin(c.req.raw))));
  app.get("/v1/openapi.json", () => json(buildOpenApiDocument({ version })));
  for (const [path, respond] of skillRoutes) app.get(path, respond);
  app.get("/healthz", () => json({ status: "ok" }));
  app.get("/readyz", async () => {
    try {
      await store.engine.ready(checkSchema);
    } catch (error) {
      if (error instanceof NewerSchemaError) throw error;
      throw new PdppError("unavailable", "the database does not answer", { retry_after_seconds: 2 });
    }
    return json({ status: "ready" });
  });
  const getOwner = ({ ownerNo }: OwnerSession): OwnerApi => ({
    ...createOwner({ store, ownerNo, now, pagesUrl: getPagesUrl(), measure: measureToolResult }),
    reader: () => createOwnerReader({ store, now, threads, pagesUrl: getPagesUrl() }, ownerNo),
  });
  const isSecure = publicUrl !== undefined && new URL(publicUrl).protocol === "https:";
  // Then the server sees the proxy's connection. Without a proxy, anyone could send its header.
  const isProxied = isSecure && !endsTls;
  const getPeer = (request: Request): string => {
    const peer = peers.get(request);
    return isSecure || peer === undefined ? "" : formatPeer(peer);
  };
  const getSource = (request: Request): string => {
    const peer = peers.get(request);
    const forwarded = isProxied ? request.headers.get("x-forwarded-for")?.split(",").at(-1)?.trim() : undefined;
    return forwarded === undefined
      ? formatPeer(peer ?? describePeer(undefined))
      : describePeer({ remoteAddress: forwarded }).address;
  };
  const signIn = createSignIn(store, now, isSecure);
  const copies = createOwnerCopies({ store, now, signIn, getOwner, onBug });
  // With several owners, none of them may browse the server's disk.
  const getDiskAccess = async () =>
    !ownDisk ? "elsewhere" : (await listOwners(store)).length === 1 ? "open" : "shared";
  const pages = {
    now,
    getOrigin: getRequestOrigin,
    getPeer,
    getSource,
    signIn,
    getOwner,
    runTool: createToolPreview((bug) => onBug(bug, "page")),
    copies,
    pendingRequests: createPendingRequests(store, now),
    imports,
    sources,
    getDiskAccess,
    loadThumbnail: ({ ownerNo }: OwnerSession, blob: PictureBlob) => store.thumbnails.load(ownerNo, blob),
  };
  app.route("/", createConsole(pages));
  app.route("/", addAuthorizationRoutes({ ...pages, store, documentFetch }));
  const parts = {
    store,
    now,
    pagesUrl: getPagesUrl,
    clientQueries,
    maxAnswerMs,
    strictLog,
    threads,
    ...policy,
    onBug,
    onOperation: observer?.countOperation,
  };
  const pipeline = createPipeline(parts);
  if (observer !== undefined) {
    const answerMetrics = createMetricsRoute(pipeline, observer.formatMetrics, metricsToken);
    app.get("/metrics", (c) => answerMetrics(c.req.raw, c.get("requestId")));
  }
  const mcp = createMcpEndpoint(pipeline, parts);
  app.all(mcpPath, (c) => mcp(c.req.raw, c.get("requestId")));
  const rest = createRestHandler(pipeline, onBug);
  app.all("/v1/*", (c) => rest(c.req.raw, c.get("url"), c.get("requestId")));
  return app;
}
