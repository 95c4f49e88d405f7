import { PdppError } from "@pdpp/contract/errors";
import type { Hono } from "hono";
import { authenticate } from "../auth/authenticate.ts";
import { hashToken, hasTokenForm } from "../auth/tokens.ts";
import { findTokenByHash, listGrantsOfToken, type StoredToken } from "../store/access/grants.ts";
import type { Scope } from "../store/access/scope.ts";
import type { Store } from "../store/store.ts";
import { createJsonResponse } from "./device.ts";
import { describeGrant, describeSource } from "./granted-details.ts";
import { introspectionPath, scope as readScope } from "./provider-paths.ts";

/**
 * Token introspection for resource servers elsewhere (RFC 7662). The caller needs an owner token with that right and
 * only learns about that owner's tokens. Nothing is cached, so a revocation takes effect at once.
 */

export interface IntrospectionParts {
  readonly store: Store;
  readonly now: () => number;
  readonly getOrigin: (request: Request) => string;
  readonly toPlainRequest: (request: Request) => Promise<Request>;
  readonly count: (request: Request) => void;
}

export function addIntrospectionRoute(app: Hono, parts: IntrospectionParts): void {
  app.post(introspectionPath, async (c) => {
    parts.count(c.req.raw);
    const asking = await authenticateServer(parts, c.req.raw);
    if (asking === undefined) {
      const refused = createJsonResponse(401, {
        error: "invalid_client",
        error_description:
          "authenticate with a token from pdpp owner-token create --may introspect, as Basic ID:TOKEN or Bearer TOKEN",
      });
      refused.headers.set("www-authenticate", 'Basic realm="introspection"');
      return refused;
    }
    const token = new URLSearchParams(await (await parts.toPlainRequest(c.req.raw)).text()).get("token");
    if (token === null || token === "")
      return createJsonResponse(400, {
        error: "invalid_request",
        error_description: "send the token as form data: token=...",
      });
    return createJsonResponse(200, await describeToken(parts, asking.ownerNo, token, parts.getOrigin(c.req.raw)));
  });
}

/** Tokens limited to some connections are rejected, because they would learn about others. */
async function authenticateServer({ store, now }: IntrospectionParts, request: Request): Promise<Scope | undefined> {
  const [scheme = "", sent = ""] = (request.headers.get("authorization") ?? "").split(/ +/);
  const said = /^basic$/i.test(scheme) ? Buffer.from(sent, "base64").toString() : `:${sent}`;
  if (!/^(basic|bearer)$/i.test(scheme)) return undefined;
  const at = said.indexOf(":");
  const [id, secret] = [decodeFormValue(said.slice(0, at)), decodeFormValue(said.slice(at + 1))];
  const shown = await authenticate(store, secret, now()).catch(ignoreRefusal);
  if (shown?.tokenKind !== "owner" || shown.connectionIds !== undefined) return undefined;
  const may = shown.may ?? ["everything"];
  if (!may.includes("introspect") && !may.includes("everything")) return undefined;
  const held = await store.engine.read((on) => findTokenByHash(on, hashToken(secret)));
  return id === "" || id === held?.tokenId ? shown : undefined;
}

/** Credentials in a Basic header are form-encoded (RFC 6749). */
function decodeFormValue(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function ignoreRefusal(error: unknown): undefined {
  if (error instanceof PdppError && (error.status === 401 || error.status === 403)) return undefined;
  throw error;
}

async function describeToken(
  { store, now }: IntrospectionParts,
  ownerNo: number,
  token: string,
  origin: string,
): Promise<object> {
  const nothing = { active: false };
  if (!hasTokenForm(token)) return nothing;
  const held = await store.engine.read((on) => findTokenByHash(on, hashToken(token)));
  // Do not reveal that another owner's token exists.
  if (held === undefined || held.ownerNo !== ownerNo) return nothing;
  let scope: Scope;
  try {
    scope = await authenticate(store, token, now());
  } catch (error) {
    if (!(error instanceof PdppError) || (error.status !== 401 && error.status !== 403)) throw error;
    return { active: false, inactive_reason: error.status === 403 ? error.code : getInactiveReason(held) };
  }
  // Bound to a key or without an audience: it reads nothing here, so it must not read anything elsewhere.
  if (scope.audience === "") return nothing;
  const grants = await store.engine.read((on) => listGrantsOfToken(on, held));
  const live = grants.filter(({ grant }) => scope.grantIds.includes(grant.grant_id)).map(({ grant }) => grant);
  const catalog = await store.catalog();
  const [first] = live;
  return {
    active: true,
    token_type: "Bearer",
    scope: readScope,
    pdpp_token_kind: held.kind,
    sub: String(ownerNo),
    subject_id: String(ownerNo),
    ...(first === undefined ? {} : { client_id: first.client.client_id }),
    ...(held.packageId === null
      ? { grant_id: first?.grant_id, grant: first && { ...first, source: describeSource(first, catalog) } }
      : { grant_package_id: held.packageId }),
    ...(held.kind === "owner" ? {} : { authorization_details: live.map((grant) => describeGrant(grant, catalog)) }),
    iat: Math.floor(held.createdAt / 1000),
    ...(held.expiresAt === null ? {} : { exp: Math.floor(held.expiresAt / 1000) }),
    iss: origin,
    aud: scope.audience ?? origin,
  };
}

const getInactiveReason = ({ revokedAt }: StoredToken): string =>
  revokedAt === null ? "token_expired" : "token_revoked";
