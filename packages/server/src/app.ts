import type { ImportService, OwnerSession } from "@pdpp/console";
import { createConsole, renderBugPage } from "@pdpp/console";
import { PdppError } from "@pdpp/contract/errors";
import { buildOpenApiDocument } from "@pdpp/contract/openapi";
import type { OwnerApi } from "@pdpp/contract/owner";
import { Hono } from "hono";
import { createSignIn } from "./auth/sign-in.ts";
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
import { createPipeline } from "./http/request/pipeline.ts";
import {
  buildCommonHeaders,
  createJsonResponse,
  createProblemResponse,
  getRequestId,
  toProblem,
} from "./http/respond.ts";
import { createRestHandler } from "./http/rest/v1.ts";
import { createOwnerReader } from "./http/threads/owner-reader.ts";
import type { ReadingThreads } from "./http/threads/reading-threads.ts";
import { addAuthorizationRoutes } from "./oauth/authorization.ts";
import type { DocumentFetch } from "./oauth/documents.ts";
import { createOwner } from "./owner/owner.ts";
import { listOwners } from "./owner/owners.ts";
import { createOwnerCopies } from "./owner-copies.ts";
import { toPagesUrl } from "./pages-url.ts";
import type { Store } from "./store/store.ts";
import { version } from "./version.ts";

export interface AppOptions {
  readonly store: Store;
  readonly publicUrl?: string;
  /** The address for links that people open, when there is no public URL. */
  readonly localUrl?: () => string;
  readonly allowedHosts?: readonly string[];
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
  /** Whether the owner may name files on this computer: they sit at it, or the operator allows it. */
  readonly ownDisk?: boolean;
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

const isForPrograms = (pathname: string): boolean => pathname.startsWith("/v1/") || pathname === mcpPath;

export function createApp(options: AppOptions): Hono<{ Variables: { requestId: string } }> {
  const {
    store,
    publicUrl,
    localUrl = () => defaultUrl,
    allowedHosts,
    clientQueries = true,
    now = Date.now,
    onBug = logBug,
    maxAnswerMs,
    strictLog,
    threads,
    documentFetch,
    imports,
    ownDisk = false,
  } = options;
  const policy = { publicUrl, allowedHosts };
  const getPagesUrl = () => toPagesUrl(publicUrl === undefined ? localUrl() : new URL(publicUrl).origin);
  const app = new Hono<{ Variables: { requestId: string } }>();

  app.use(async (c, next) => {
    const requestId = getRequestId(c.req.raw);
    c.set("requestId", requestId);
    const { pathname } = new URL(c.req.url);
    if (!anyHostPaths.has(pathname)) checkHost(c.req.raw, policy);
    if (isForPrograms(pathname)) checkOrigin(c.req.raw, policy);
    await next();
    for (const [name, value] of Object.entries(buildCommonHeaders(requestId))) c.res.headers.set(name, value);
    if (shouldLinkIcon(pathname, c.res)) c.res.headers.append("link", formatIconLink(getOrigin(c.req.raw, policy)));
  });
  app.onError((error, c) => {
    const requestId = c.get("requestId");
    const problem = toProblem(error, (bug) => onBug(bug, requestId));
    const isForPerson = isPageRequest(c.req.raw) && !isForPrograms(c.req.path);
    return isForPerson && problem.code === "api_error"
      ? renderBugPage(requestId)
      : createProblemResponse(problem, requestId);
  });
  app.notFound((c) => {
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
  app.get("/healthz", () => json({ status: "ok" }));
  app.get("/readyz", async () => {
    try {
      await store.engine.ready();
    } catch {
      throw new PdppError("unavailable", "the database does not answer", { retry_after_seconds: 2 });
    }
    return json({ status: "ready" });
  });
  const getOwner = ({ ownerNo }: OwnerSession): OwnerApi => ({
    ...createOwner({ store, ownerNo, now, pagesUrl: getPagesUrl(), measure: measureToolResult }),
    reader: () => createOwnerReader({ store, now, threads, pagesUrl: getPagesUrl() }, ownerNo),
  });
  const signIn = createSignIn(store, now);
  const copies = createOwnerCopies({ store, now, signIn, getOwner, onBug });
  // With several owners, none of them may browse the server's disk.
  const getDiskAccess = async () =>
    !ownDisk ? "elsewhere" : (await listOwners(store)).length === 1 ? "open" : "shared";
  const pages = {
    now,
    getOrigin: getRequestOrigin,
    signIn,
    getOwner,
    runTool: createToolPreview((bug) => onBug(bug, "page")),
    copies,
    imports,
    getDiskAccess,
  };
  app.route("/", createConsole(pages));
  app.route("/", addAuthorizationRoutes({ ...pages, store, documentFetch }));
  const parts = { store, now, pagesUrl: getPagesUrl, clientQueries, maxAnswerMs, strictLog, threads, ...policy, onBug };
  const pipeline = createPipeline(parts);
  const mcp = createMcpEndpoint(pipeline, parts);
  app.all(mcpPath, (c) => mcp(c.req.raw, c.get("requestId")));
  const rest = createRestHandler(pipeline, onBug);
  app.all("/v1/*", (c) => rest(c.req.raw, c.get("requestId")));
  return app;
}
