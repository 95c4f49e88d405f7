import { timingSafeEqual } from "node:crypto";
import { hashToken } from "../auth/tokens.ts";
import { metadataPath } from "../http/metadata.ts";
import type { Pipeline } from "../http/request/pipeline.ts";
import { checkRights } from "../http/request/rights.ts";

/** Answers with figures about the server, for the owner or for a program that has the metrics token, which opens nothing else. */
export function createMetricsRoute(
  pipeline: Pipeline,
  format: (ownerNo?: number) => Promise<string>,
  metricsToken: string | undefined,
): (request: Request, requestId: string) => Promise<Response> {
  const respond = async (ownerNo?: number): Promise<Response> =>
    new Response(await format(ownerNo), {
      headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8", "cache-control": "no-store" },
    });
  return (request, requestId) => {
    if (metricsToken !== undefined && hasToken(request, metricsToken)) return respond();
    return pipeline.handle(request, requestId, { metadata: metadataPath, operation: "metrics" }, ({ scope }) => {
      checkRights(scope, { audience: "owner", needs: "read" });
      return respond(scope.ownerNo);
    });
  };
}

/** Compares digests, which have equal length and do not reveal where the tokens differ. */
function hasToken(request: Request, token: string): boolean {
  const sent = /^bearer +(\S+) *$/i.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
  return timingSafeEqual(Buffer.from(hashToken(sent)), Buffer.from(hashToken(token)));
}
