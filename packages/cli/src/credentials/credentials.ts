import { resolve } from "node:path";
import { commandName } from "@pdpp/agent-setup/command-name";
import { hasTokenForm, isOwnerToken } from "@pdpp/server/auth/tokens";
import { quoteForShell } from "../render/continuation.ts";
import { CredentialError, UsageError } from "../runtime/failure.ts";
import type { Environment } from "./credential-file.ts";
import {
  type CachedCredential,
  getCredentialPath,
  listCredentials,
  readCredential,
  resolveCacheRoot,
} from "./credential-file.ts";
import { defaultProviderUrl, getEncryptionWarning, normalizeProviderUrl } from "./provider-url.ts";

export { saveCredential } from "./credential-file.ts";

export interface ClientCredential {
  readonly providerUrl: string;
  readonly accessToken: string;
  /** "environment", or the path of the credential file. */
  readonly from: string;
  /** The command that requests a new credential; only for cached ones. */
  readonly askAgain?: string;
}

export interface CredentialRequest {
  readonly providerUrl?: string | undefined;
  readonly cacheRoot?: string | undefined;
  readonly env: Environment;
  /** Fail if an owner credential is in the environment, even if unused. */
  readonly refuseOwner?: boolean;
  /** Defaults to stderr. */
  readonly warn?: (text: string) => void;
}

export const ownerVariables = ["PDPP_OWNER_TOKEN", "PDPP_OWNER_SESSION_COOKIE"];

export function findClientCredential(request: CredentialRequest): ClientCredential {
  const { env, warn = (text) => void process.stderr.write(`warning: ${text}\n`) } = request;
  const owner = request.refuseOwner ? ownerVariables.find((name) => env[name]) : undefined;
  if (owner !== undefined) {
    throw new CredentialError(
      "owner",
      `${owner} is set, and agents must not have access to an owner credential`,
      `start it without ${owner}`,
    );
  }
  const credential = env.PDPP_ACCESS_TOKEN ? readFromEnvironment(request) : readFromCache(request);
  if (isOwnerToken(credential.accessToken)) {
    throw createOwnerError(credential.from === "environment" ? "PDPP_ACCESS_TOKEN" : credential.from);
  }
  const warning = getEncryptionWarning(credential.providerUrl);
  if (warning !== undefined) warn(warning);
  return credential;
}

function readFromEnvironment(request: CredentialRequest): ClientCredential {
  const accessToken = (request.env.PDPP_ACCESS_TOKEN ?? "").trim();
  if (!hasTokenForm(accessToken)) {
    throw new CredentialError(
      "unusable",
      "PDPP_ACCESS_TOKEN is not a pdpp token (should start with pdpp_client_)",
      "set it again, or unset it",
    );
  }
  const providerUrl =
    getRequestedUrl(request) ??
    requireSingleUrl(listKnownUrls(listCredentials(resolveCacheRoot(request.cacheRoot, request.env)))) ??
    defaultProviderUrl;
  return { providerUrl, accessToken, from: "environment" };
}

function readFromCache(request: CredentialRequest): ClientCredential {
  const root = resolveCacheRoot(request.cacheRoot, request.env);
  const requestedUrl = getRequestedUrl(request);
  const entries = requestedUrl === undefined ? listCredentials(root) : [];
  const providerUrl = requestedUrl ?? requireSingleUrl(listKnownUrls(entries));
  if (providerUrl === undefined) {
    const broken = entries[0];
    if (broken === undefined)
      throw new CredentialError(
        "missing",
        "no saved credential",
        describeHowToConnect(undefined, false, request.cacheRoot),
      );
    throw createUnusableError(broken, undefined, request.cacheRoot);
  }
  const found = readCredential(getCredentialPath(root, providerUrl));
  if (found === undefined) {
    const message = `no saved credential for ${providerUrl}`;
    throw new CredentialError("missing", message, describeHowToConnect(providerUrl, false, request.cacheRoot));
  }
  if (found.state === "owner") throw createOwnerError(found.path);
  if (found.state !== "usable" || found.saved.providerUrl !== providerUrl)
    throw createUnusableError(found, providerUrl, request.cacheRoot);
  return {
    providerUrl,
    accessToken: found.saved.accessToken,
    from: found.path,
    askAgain: formatConnectCommand(providerUrl, found.saved.demo === true, request.cacheRoot),
  };
}

function formatConnectCommand(providerUrl: string, isDemo: boolean, cacheRoot: string | undefined): string {
  // A demo token is overwritten without --replace.
  const over = isDemo ? "" : " --replace";
  const place = cacheRoot ? ` --cache-root ${quoteForShell(resolve(cacheRoot))}` : "";
  return `${commandName} connect ${quoteForShell(providerUrl)}${over}${place}`;
}

/** Explains a cached token that the server rejected with 401. */
export function describeStaleCredential({ providerUrl, askAgain }: ClientCredential) {
  if (askAgain === undefined) return undefined;
  return {
    message: `the saved token for ${providerUrl} is unknown to this server: it now serves another vault, or the grant was deleted`,
    next: `connect again with: ${askAgain}`,
  };
}

function getRequestedUrl({ providerUrl, env }: CredentialRequest): string | undefined {
  const requestedUrl = providerUrl || env.PDPP_PROVIDER_URL;
  return requestedUrl ? normalizeProviderUrl(requestedUrl) : undefined;
}

/** Lists cached servers. Demo and expired credentials count only if there are no others. */
export function listKnownUrls(entries: readonly CachedCredential[]): string[] {
  const known = entries.flatMap((entry) => (entry.state === "broken" ? [] : [entry]));
  const current = known.filter(({ state }) => state !== "expired");
  const own = current.filter(({ saved }) => !saved.demo);
  const best = [own, current, known].find(({ length }) => length > 0) ?? [];
  return [...new Set(best.map(({ saved }) => saved.providerUrl))];
}

export function requireSingleUrl(urls: readonly string[]): string | undefined {
  if (urls.length <= 1) return urls[0];
  throw new UsageError(
    `several servers have credentials: ${urls.join(", ")}; choose one with --provider-url URL or PDPP_PROVIDER_URL`,
  );
}

function createUnusableError(
  found: CachedCredential,
  wanted: string | undefined,
  cacheRoot: string | undefined,
): CredentialError {
  const { path } = found;
  if (found.state === "broken")
    return new CredentialError("unusable", `${path} ${found.reason}`, describeHowToConnect(wanted, false, cacheRoot));
  const { providerUrl, expiresAt } = found.saved;
  const elsewhere = wanted !== undefined && providerUrl !== wanted;
  const reason = elsewhere
    ? `${path} is for ${providerUrl}, not for ${wanted}`
    : `the client credential in ${path} expired at ${expiresAt}`;
  return new CredentialError("unusable", reason, describeHowToConnect(wanted, elsewhere, cacheRoot));
}

const createOwnerError = (place: string): CredentialError =>
  new CredentialError(
    "owner",
    `${place} is an owner credential; this command needs a client credential`,
    place === "PDPP_ACCESS_TOKEN"
      ? "unset PDPP_ACCESS_TOKEN, or set it to a client's token"
      : describeHowToConnect(undefined, true),
  );

/** Names the command that requests access, and the alternative for an owner with local access. */
export function describeHowToConnect(providerUrl = defaultProviderUrl, replace = false, cacheRoot?: string): string {
  const server = providerUrl === defaultProviderUrl ? "" : ` --provider-url ${providerUrl}`;
  const over = replace ? " --replace" : "";
  const place = cacheRoot ? ` --cache-root ${quoteForShell(resolve(cacheRoot))}` : "";
  return (
    `request access with: ${commandName} connect ${quoteForShell(providerUrl)}${over}${place}; ` +
    `or, as the owner: ${commandName} grant create --client NAME --connection ID --stream STREAM --save${server}${over}`
  );
}
