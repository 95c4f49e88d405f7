import { PdppError } from "@pdpp/contract/errors";
import { type HostPolicy, isTrustedHost, originOf } from "../hosts.ts";

/** The token of a request; `metadata` is the path where one learns how to get one. */
export function bearerOf(request: Request, policy: HostPolicy, metadata: string): string {
  const header = request.headers.get("authorization");
  const token = /^bearer +(\S+) *$/i.exec(header ?? "")?.[1];
  if (token !== undefined) return token;
  const said = header === null ? "a bearer token is required" : "the Authorization header must be: Bearer TOKEN";
  throw challenged(new PdppError("authentication_error", said), request, policy, metadata);
}

/** A 401 says where to learn how to get a token, if the caller came by a name this server goes by. */
export function challenged(error: unknown, request: Request, policy: HostPolicy, metadata: string): unknown {
  if (!(error instanceof PdppError) || error.status !== 401 || !isTrustedHost(request, policy)) return error;
  return new PdppError(error.code, error.message, {
    ...error.details,
    resource_metadata: `${originOf(request, policy)}${metadata}`,
    ...(request.headers.has("authorization") ? { token_error: "invalid_token" } : {}),
    next_step: "ask the owner for a grant (pdpp grant create) and send its token as Authorization: Bearer TOKEN",
  });
}
