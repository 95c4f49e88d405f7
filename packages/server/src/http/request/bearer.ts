import { PdppError } from "@pdpp/contract/errors";
import { getOrigin, type HostPolicy, isTrustedHost } from "../hosts.ts";

/** `metadata` is the path of the document about getting a token. `takesPassword`: the token may be the password of a user of any name. */
export function parseBearer(
  request: Request,
  policy: HostPolicy,
  { metadata, takesPassword = false }: { readonly metadata: string; readonly takesPassword?: boolean },
): string {
  const header = request.headers.get("authorization");
  const token = /^bearer +(\S+) *$/i.exec(header ?? "")?.[1] ?? (takesPassword ? parsePassword(header) : undefined);
  if (token !== undefined) return token;
  const said = header === null ? "a bearer token is required" : "the Authorization header must be: Bearer TOKEN";
  throw addChallenge(new PdppError("authentication_error", said), request, policy, metadata);
}

/** Adds to a 401 where to get a token, unless the request used a foreign host name. */
export function addChallenge(error: unknown, request: Request, policy: HostPolicy, metadata: string): unknown {
  if (!(error instanceof PdppError) || error.status !== 401 || !isTrustedHost(new URL(request.url), policy))
    return error;
  return new PdppError(error.code, error.message, {
    ...error.details,
    resource_metadata: `${getOrigin(request, policy)}${metadata}`,
    ...(request.headers.has("authorization") ? { token_error: "invalid_token" } : {}),
    next_step: "ask the owner for a grant (pdpp grant create) and send its token as Authorization: Bearer TOKEN",
  });
}

/** Apps on phones know only a name and a password. */
function parsePassword(header: string | null): string | undefined {
  const encoded = /^basic +([\w+/=-]+) *$/i.exec(header ?? "")?.[1];
  return encoded === undefined ? undefined : /^[^:]*:(\S+)$/.exec(Buffer.from(encoded, "base64").toString())?.[1];
}
