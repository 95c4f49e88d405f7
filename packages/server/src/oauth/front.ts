import { dataAccessType } from "@pdpp/consent/selection";
import { PdppError } from "@pdpp/contract/errors";
import { agentConnectPath, deviceGrant, introspectionPath, paths, scope, typedCode } from "./provider-paths.ts";
import { checkRedirectUris } from "./redirect-uris.ts";

/** Middleware between clients and the library: cleans and counts requests. */

/** Clients copy scopes and prompts from other servers, so they are overridden. */
function cleanParams(params: URLSearchParams): URLSearchParams {
  const clean = new URLSearchParams(params);
  if (!clean.has("request_uri")) clean.set("scope", scope);
  if (clean.get("prompt") !== "none") clean.delete("prompt");
  return clean;
}

const untouchedPaths: ReadonlySet<string> = new Set([paths.revocation, paths.code_verification]);

export async function cleanRequest(request: Request): Promise<Request> {
  const url = new URL(request.url);
  if (url.pathname === paths.authorization && request.method === "GET") {
    const clean = cleanParams(url.searchParams);
    return new Request(`${url.origin}${url.pathname}?${clean}`, { headers: request.headers });
  }
  if (url.pathname === paths.code_verification && request.method === "GET") {
    const typed = url.searchParams.get("user_code") ?? "";
    return new Request(`${url.origin}${url.pathname}?${new URLSearchParams({ [typedCode]: typed })}`, {
      headers: request.headers,
    });
  }
  if (request.method !== "POST" || untouchedPaths.has(url.pathname)) return request;
  if (url.pathname === paths.registration)
    return withBody(request, JSON.stringify(cleanRegistration(await readObject(request))));
  const isForm = request.headers.get("content-type")?.startsWith("application/x-www-form-urlencoded") === true;
  if (!isForm) return request;
  const params = new URLSearchParams(await request.text());
  const isCode = params.get("grant_type") === "authorization_code";
  return withBody(request, String(isCode ? params : cleanParams(params)));
}

function withBody(request: Request, body: string): Request {
  const headers = new Headers(request.headers);
  headers.set("content-length", String(Buffer.byteLength(body)));
  return new Request(request.url, { method: "POST", headers, body });
}

const keptMetadata = [
  "client_name",
  "client_uri",
  "redirect_uris",
  "software_id",
  "software_version",
  "application_type",
];
const maxNameChars = 100;

/** Keeps known metadata and makes every client public. A client without a redirect URI uses the device flow. */
export function cleanRegistration(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const clean: Record<string, unknown> = Object.fromEntries(
    keptMetadata.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]),
  );
  const name = given.client_name;
  if (typeof name === "string") clean.client_name = name.slice(0, maxNameChars).toWellFormed();
  const hasAddress = Array.isArray(given.redirect_uris) && given.redirect_uris.length > 0;
  if (Array.isArray(given.redirect_uris)) checkRedirectUris(given.redirect_uris);
  const usual = hasAddress ? ["authorization_code", "refresh_token"] : [deviceGrant];
  const asked = Array.isArray(given.grant_types) ? given.grant_types : usual;
  const possible = [...(hasAddress ? ["authorization_code"] : []), "refresh_token", deviceGrant];
  return {
    ...clean,
    redirect_uris: hasAddress ? given.redirect_uris : [],
    grant_types: possible.filter((type) => asked.includes(type)),
    response_types: hasAddress ? ["code"] : [],
    token_endpoint_auth_method: "none",
  };
}

async function readObject(request: Request): Promise<Record<string, unknown>> {
  try {
    const given: unknown = await request.json();
    if (typeof given === "object" && given !== null && !Array.isArray(given)) return { ...given };
  } catch {
    // Reported below.
  }
  throw new PdppError("invalid_request", "a registration must be a JSON object with redirect_uris");
}

const identityKeys =
  /^(claim|userinfo|id_token|subject_types|acr_values|end_session|check_session|jwks_uri|backchannel|frontchannel)/;

/** Hides the library's OpenID metadata, because clients would ask for identity, which we don't provide. */
export function filterMetadata(metadata: Record<string, unknown>, origin: string): Record<string, unknown> {
  const own = Object.entries(metadata).filter(([key]) => !identityKeys.test(key));
  return {
    ...Object.fromEntries(own),
    scopes_supported: [scope],
    agent_connect_endpoint: `${origin}${agentConnectPath}`,
    introspection_endpoint: `${origin}${introspectionPath}`,
    introspection_endpoint_auth_methods_supported: ["client_secret_basic"],
    pdpp_registration_modes_supported: ["dynamic"],
    pdpp_authorization_details_types_supported: [dataAccessType],
  };
}
