import { PdppError } from "@pdpp/contract/errors";
import { scaleTimeLimit } from "@pdpp/server/time-limits";
import {
  AuthorizationResponseError,
  allowInsecureRequests,
  ClientError,
  ClientSecretPost,
  type Configuration,
  customFetch,
  discovery,
  None,
  ResponseBodyError,
  type TokenEndpointResponse,
} from "openid-client";
import type { OAuthSession } from "../credentials/contents.ts";
import { CredentialsRejected } from "../credentials/rejected.ts";
import { SecretMask } from "../run/masking.ts";

export type OAuthClient = Pick<OAuthSession, "issuer" | "client_id" | "client_secret">;

/** Two requests must be over well within a lease. */
const timeoutSeconds = scaleTimeLimit(15_000) / 1000;
const loopbackHosts: readonly string[] = ["127.0.0.1", "[::1]", "localhost"];

/** Finds the provider's addresses. Plain http is accepted only on this computer. */
export async function discoverClient({ issuer, client_id, client_secret }: OAuthClient): Promise<Configuration> {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  if (url === undefined || !isSafe(url))
    throw new PdppError("invalid_argument", `${JSON.stringify(issuer)} is not the https address of a provider`);
  const authentication = client_secret === undefined ? None() : ClientSecretPost(client_secret);
  return discovery(url, client_id, undefined, authentication, {
    [customFetch]: (address, options) => {
      if (!isSafe(new URL(address)))
        throw new PdppError("unavailable", `the provider names an address that is not encrypted: ${address}`);
      return fetch(address, options as RequestInit);
    },
    timeout: timeoutSeconds,
    execute: url.protocol === "http:" ? [allowInsecureRequests] : [],
  });
}

const isSafe = ({ protocol, hostname }: URL): boolean =>
  protocol === "https:" || (protocol === "http:" && loopbackHosts.includes(hostname));

type SessionParts = Omit<OAuthSession, "method" | "refresh_token" | "access_token" | "expires_at">;

/** An access token without a lifetime is used for this long. */
const defaultLifetimeSeconds = 3600;

export function createSession(
  parts: SessionParts,
  { access_token, refresh_token, expires_in = defaultLifetimeSeconds, scope }: TokenEndpointResponse,
  before?: string,
): OAuthSession {
  // A provider that does not rotate sends none when refreshing.
  const refreshToken = refresh_token ?? before;
  if (refreshToken === undefined)
    throw new PdppError("unavailable", "the provider gave no refresh token, so access would end within the hour", {
      next_step: "ask for offline access with --scope, or allow it in the provider's settings of your client",
    });
  const missing = scope === undefined ? undefined : findMissingScope(parts.scope, scope);
  if (missing !== undefined)
    throw new PdppError("permission_error", `the provider did not allow ${missing}`, {
      next_step: "sign in again and allow everything that is listed",
    });
  const expires_at = Date.now() + expires_in * 1000;
  return { ...parts, method: "oauth", refresh_token: refreshToken, access_token, expires_at };
}

/** Scopes that are about the sign-in itself are often left out of answers. */
const protocolScopes: readonly string[] = ["openid", "offline_access", "profile", "email"];

/** Some providers answer with another address of the same service, or in other letters, so the last part counts. */
const getScopeName = (scope: string): string => (scope.split("/").findLast((part) => part !== "") ?? "").toLowerCase();

const findMissingScope = (wanted: string, given: string): string | undefined => {
  const granted = new Set(given.split(" ").map(getScopeName));
  return wanted.split(" ").find((scope) => !granted.has(getScopeName(scope)) && !protocolScopes.includes(scope));
};

/** Says what went wrong, without anything secret that a provider may have repeated. */
export function explainError(error: unknown, secrets: readonly (string | undefined)[]): Error {
  if (error instanceof PdppError) return error;
  const mask = new SecretMask();
  for (const secret of secrets) if (secret !== undefined) mask.add(secret);
  if (error instanceof ResponseBodyError || error instanceof AuthorizationResponseError) {
    const reason = mask.clean([error.error, error.error_description].filter(Boolean).join(": "), 300);
    if (error.error === "invalid_grant") return new CredentialsRejected(`the sign-in is no longer valid (${reason})`);
    if (error.error === "access_denied") return new PdppError("permission_error", "the sign-in was declined");
    if (error.error === "expired_token")
      return new PdppError("invalid_request", "the code has expired; start the sign-in again");
    return new PdppError("invalid_request", `the provider refused: ${reason}`);
  }
  if (error instanceof ClientError && error.code !== "OAUTH_TIMEOUT")
    return new PdppError("unavailable", `the provider's answer is not valid: ${mask.clean(error.message, 300)}`);
  return new PdppError("unavailable", "the provider cannot be reached", {
    next_step: "check the network and try again",
  });
}
