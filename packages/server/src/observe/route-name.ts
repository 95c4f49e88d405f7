import { matchRoutes } from "@pdpp/contract/address";
import { operations } from "@pdpp/contract/operations";

/** Paths that are the same for everybody. Other paths can contain ids, which are data. */
const fixedPaths: ReadonlySet<string> = new Set(["/", "/mcp", "/healthz", "/readyz", "/metrics", "/v1/openapi.json"]);
const knownFolders: ReadonlySet<string> = new Set([".well-known", "oauth", "assets", "sign-in"]);

/** The route of a path without anything that a client or a record chose. */
export function describeRoute(method: string, pathname: string): string {
  if (fixedPaths.has(pathname)) return pathname;
  if (pathname.startsWith("/v1/")) {
    const wanted = method === "HEAD" ? "GET" : method;
    const found = matchRoutes(pathname)?.find((route) => route.method === wanted);
    return found === undefined ? "/v1/{unknown}" : operations[found.name].path;
  }
  const [, folder = ""] = pathname.split("/");
  return knownFolders.has(folder) ? `/${folder}/{path}` : "/{page}";
}

const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** A client can send any word as a method. */
export const normalizeMethod = (method: string | undefined): string =>
  method !== undefined && methods.has(method) ? method : "_OTHER";
