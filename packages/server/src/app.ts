import { PdppError } from "@pdpp/contract/errors";
import { openApiDocument } from "@pdpp/contract/openapi";
import { Hono } from "hono";
import { checkHost, originOf } from "./http/hosts.ts";
import { hostedMcp } from "./http/mcp.ts";
import { discoveryIndex, mcpPath, metadataPath, protectedMcp, protectedResource } from "./http/metadata.ts";
import { createPipeline } from "./http/pipeline.ts";
import { asProblem, commonHeaders, jsonResponse, problemResponse, requestIdOf } from "./http/respond.ts";
import { v1 } from "./http/v1.ts";
import { raw } from "./store/engine/sql.ts";
import type { Store } from "./store/store.ts";
import { version } from "./version.ts";

export interface AppOptions {
  readonly store: Store;
  readonly publicUrl?: string;
  readonly allowedHosts?: readonly string[];
  readonly clientQueries?: boolean;
  readonly now?: () => number;
  readonly onBug?: (error: unknown, requestId: string) => void;
}

const logged = (error: unknown, requestId: string): void => console.error(`pdpp: request ${requestId} failed:`, error);

/** The server as a fetch handler: it needs no socket, and several can stand over one vault. */
export function createApp(options: AppOptions): Hono<{ Variables: { requestId: string } }> {
  const { store, publicUrl, allowedHosts, clientQueries = true, now = Date.now, onBug = logged } = options;
  const policy = { publicUrl, allowedHosts };
  const app = new Hono<{ Variables: { requestId: string } }>();

  app.use(async (c, next) => {
    const requestId = requestIdOf(c.req.raw);
    c.set("requestId", requestId);
    await next();
    for (const [name, value] of Object.entries(commonHeaders(requestId))) c.res.headers.set(name, value);
  });
  app.onError((error, c) => {
    const requestId = c.get("requestId");
    return problemResponse(
      asProblem(error, (bug) => onBug(bug, requestId)),
      requestId,
    );
  });
  app.notFound((c) => {
    const path = new URL(c.req.url).pathname.slice(0, 200);
    return problemResponse(
      new PdppError("not_found", `no such path: ${path}; GET / lists where to begin`),
      c.get("requestId"),
    );
  });

  const json = (document: object) => jsonResponse(200, JSON.stringify(document), {});
  const byName = (request: Request): string => {
    checkHost(request, policy);
    return originOf(request, policy);
  };
  app.get("/", (c) => json(discoveryIndex(byName(c.req.raw))));
  app.get(metadataPath, (c) => json(protectedResource(byName(c.req.raw))));
  app.get(`${metadataPath}${mcpPath}`, (c) => json(protectedMcp(byName(c.req.raw))));
  app.get(`${mcpPath}${metadataPath}`, (c) => json(protectedMcp(byName(c.req.raw))));
  app.get("/v1/openapi.json", () => json(openApiDocument({ version })));
  app.get("/healthz", () => json({ status: "ok" }));
  app.get("/readyz", async () => {
    const ready = await store.engine.read((on) => on.one(raw("SELECT 1 AS one"))).catch(() => undefined);
    if (ready === undefined) throw new PdppError("unavailable", "the database does not answer");
    return json({ status: "ready" });
  });
  const parts = { store, now, clientQueries, ...policy, onBug };
  const pipeline = createPipeline(parts);
  const mcp = hostedMcp(pipeline, parts);
  app.all(mcpPath, (c) => mcp(c.req.raw, c.get("requestId")));
  const operations = v1(pipeline, onBug);
  app.all("/v1/*", (c) => operations(c.req.raw, c.get("requestId")));
  return app;
}
