import { consoleRoutes } from "@pdpp/console/console";
import { bugPage } from "@pdpp/console/refusal";
import { PdppError } from "@pdpp/contract/errors";
import type { ImportService } from "@pdpp/contract/import-service";
import { buildOpenApiDocument } from "@pdpp/contract/openapi";
import type { OwnerApi } from "@pdpp/contract/owner";
import type { OwnerSession } from "@pdpp/contract/sign-in";
import { Hono } from "hono";
import { createDoor } from "./auth/sign-in.ts";
import { checkHost, checkOrigin, originOf } from "./http/hosts.ts";
import { hostedMcp, toolTexts } from "./http/mcp.ts";
import { discoveryIndex, iconLink, mcpPath, metadataPath, protectedMcp, protectedResource } from "./http/metadata.ts";
import { createPipeline } from "./http/request/pipeline.ts";
import { asProblem, commonHeaders, jsonResponse, problemResponse, requestIdOf } from "./http/respond.ts";
import { v1 } from "./http/rest/v1.ts";
import { ownerReader } from "./http/threads/owner-reader.ts";
import type { ReadingThreads } from "./http/threads/reading-threads.ts";
import { authorizationRoutes } from "./oauth/authorization.ts";
import type { DocumentFetch } from "./oauth/documents.ts";
import { createOwner } from "./owner/owner.ts";
import { listOwners } from "./owner/owners.ts";
import { ownerCopies } from "./owner-copies.ts";
import { pagesUrl } from "./pages-url.ts";
import type { Store } from "./store/store.ts";
import { version } from "./version.ts";

export interface AppOptions {
  readonly store: Store;
  readonly publicUrl?: string;
  /** Where the server listens, for addresses that people open when there is no public one. */
  readonly localUrl?: () => string;
  readonly allowedHosts?: readonly string[];
  readonly clientQueries?: boolean;
  /** How long an answer may take before it ends with an error; an hour when left out. */
  readonly maxAnswerMs?: number;
  /** Refuse reads that cannot be noted in the access log. */
  readonly strictLog?: boolean;
  readonly now?: () => number;
  /** How the documents of clients are fetched; for tests, which cannot reach the world. */
  readonly documentFetch?: DocumentFetch;
  /** For heavy reads; without any they are done by the thread that answers. */
  readonly threads?: ReadingThreads;
  readonly onBug?: (error: unknown, requestId: string) => void;
  /** Where owners bring exports in; without it the pages name the command. */
  readonly imports?: ImportService;
  /** Whether the owner sits at this computer, or the operator lets them name its files. */
  readonly ownDisk?: boolean;
}

const logged = (error: unknown, requestId: string): void => console.error(`pdpp: request ${requestId} failed:`, error);

/** Where `pdpp serve` listens unless it is told otherwise. */
const usualUrl = "http://127.0.0.1:7663";

/** Whether the server is up may be asked by any name. */
const forAnyone: ReadonlySet<string> = new Set(["/healthz", "/readyz"]);

const acceptsPages = ({ headers }: Request): boolean => /\btext\/html\b/.test(headers.get("accept") ?? "");

/** Answers by which a person or a program gets to know the server. Data needs no icon. */
const introducesServer = (pathname: string, { headers }: Response): boolean =>
  pathname === "/" ||
  pathname === mcpPath ||
  pathname.includes("/.well-known/") ||
  /^text\/html\b/.test(headers.get("content-type") ?? "");

const isForPrograms = (pathname: string): boolean => pathname.startsWith("/v1/") || pathname === mcpPath;

/** The server as a fetch handler: it needs no socket, and several can stand over one vault. */
export function createApp(options: AppOptions): Hono<{ Variables: { requestId: string } }> {
  const {
    store,
    publicUrl,
    localUrl = () => usualUrl,
    allowedHosts,
    clientQueries = true,
    now = Date.now,
    onBug = logged,
    maxAnswerMs,
    strictLog,
    threads,
    documentFetch,
    imports,
    ownDisk = false,
  } = options;
  const policy = { publicUrl, allowedHosts };
  const ownPages = () => pagesUrl(publicUrl === undefined ? localUrl() : new URL(publicUrl).origin);
  const app = new Hono<{ Variables: { requestId: string } }>();

  app.use(async (c, next) => {
    const requestId = requestIdOf(c.req.raw);
    c.set("requestId", requestId);
    const { pathname } = new URL(c.req.url);
    if (!forAnyone.has(pathname)) checkHost(c.req.raw, policy);
    if (isForPrograms(pathname)) checkOrigin(c.req.raw, policy);
    await next();
    for (const [name, value] of Object.entries(commonHeaders(requestId))) c.res.headers.set(name, value);
    if (introducesServer(pathname, c.res)) c.res.headers.append("link", iconLink(originOf(c.req.raw, policy)));
  });
  app.onError((error, c) => {
    const requestId = c.get("requestId");
    const problem = asProblem(error, (bug) => onBug(bug, requestId));
    const isForPerson = acceptsPages(c.req.raw) && !isForPrograms(c.req.path);
    return isForPerson && problem.code === "api_error" ? bugPage(requestId) : problemResponse(problem, requestId);
  });
  app.notFound((c) => {
    const path = new URL(c.req.url).pathname.slice(0, 200);
    return problemResponse(
      new PdppError("not_found", `no such path: ${path}; GET / lists where to begin`),
      c.get("requestId"),
    );
  });

  const json = (document: object) => jsonResponse(200, JSON.stringify(document), {});
  const byName = (request: Request): string => originOf(request, policy);
  // A person gets a page, a program what it always got.
  app.get("/", async (c, next) => {
    if (acceptsPages(c.req.raw)) return next();
    return jsonResponse(200, JSON.stringify(discoveryIndex(byName(c.req.raw))), { vary: "accept" });
  });
  app.get(metadataPath, (c) => json(protectedResource(byName(c.req.raw))));
  app.get(`${metadataPath}${mcpPath}`, (c) => json(protectedMcp(byName(c.req.raw))));
  app.get(`${mcpPath}${metadataPath}`, (c) => json(protectedMcp(byName(c.req.raw))));
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
  const ownerOf = ({ ownerNo }: OwnerSession): OwnerApi => ({
    ...createOwner({ store, ownerNo, now, pagesUrl: ownPages() }),
    reader: () => ownerReader({ store, now, threads, pagesUrl: ownPages() }, ownerNo),
  });
  const door = createDoor(store, now);
  const copies = ownerCopies({ store, now, door, ownerOf, onBug });
  // One of several owners must not look at what the server can read.
  const diskOf = async () => (!ownDisk ? "elsewhere" : (await listOwners(store)).length === 1 ? "open" : "shared");
  const pages = {
    now,
    originOf: byName,
    door,
    ownerOf,
    toolText: toolTexts((bug) => onBug(bug, "page")),
    copies,
    imports,
    diskOf,
  };
  app.route("/", consoleRoutes(pages));
  app.route("/", authorizationRoutes({ ...pages, store, documentFetch }));
  const parts = { store, now, pagesUrl: ownPages, clientQueries, maxAnswerMs, strictLog, threads, ...policy, onBug };
  const pipeline = createPipeline(parts);
  const mcp = hostedMcp(pipeline, parts);
  app.all(mcpPath, (c) => mcp(c.req.raw, c.get("requestId")));
  const operations = v1(pipeline, onBug);
  app.all("/v1/*", (c) => operations(c.req.raw, c.get("requestId")));
  return app;
}
