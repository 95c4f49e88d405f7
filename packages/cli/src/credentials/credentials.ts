import { resolve } from "node:path";
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

/** The credential that a client command reads with: grant-scoped, from the environment or from the cache. */

export interface ClientCredential {
  readonly providerUrl: string;
  readonly accessToken: string;
  /** "environment", or the path of the file. */
  readonly from: string;
  /** The command that asks the owner for another in its place. Only the cache can be filled so. */
  readonly askAgain?: string;
}

export interface CredentialRequest {
  readonly providerUrl?: string | undefined;
  readonly cacheRoot?: string | undefined;
  readonly env: Environment;
  /** An owner credential in the environment is a failure, though nothing would use it. */
  readonly refuseOwner?: boolean;
  /** Where warnings go; stderr unless told. */
  readonly warn?: (text: string) => void;
}

export const ownerVariables = ["PDPP_OWNER_TOKEN", "PDPP_OWNER_SESSION_COOKIE"];

export function findClientCredential(request: CredentialRequest): ClientCredential {
  const { env, warn = (text) => void process.stderr.write(`warning: ${text}\n`) } = request;
  const owner = request.refuseOwner ? ownerVariables.find((name) => env[name]) : undefined;
  if (owner !== undefined) {
    throw new CredentialError(
      "owner",
      `${owner} is set, and an agent must not have access to an owner's credential`,
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
    throw new CredentialError("unusable", "PDPP_ACCESS_TOKEN does not hold a token", "set it again, or unset it");
  }
  const providerUrl =
    getRequestedUrl(request) ??
    requireSingleUrl(listKnownUrls(listCredentials(resolveCacheRoot(request.cacheRoot, request.env)))) ??
    defaultProviderUrl;
  return { providerUrl, accessToken, from: "environment" };
}

function readFromCache(request: CredentialRequest): ClientCredential {
  const root = resolveCacheRoot(request.cacheRoot, request.env);
  const told = getRequestedUrl(request);
  const entries = told === undefined ? listCredentials(root) : [];
  const providerUrl = told ?? requireSingleUrl(listKnownUrls(entries));
  if (providerUrl === undefined) {
    const broken = entries[0];
    if (broken === undefined)
      throw new CredentialError(
        "missing",
        "no client credential yet",
        describeHowToConnect(undefined, false, request.cacheRoot),
      );
    throw createUnusableError(broken, undefined, request.cacheRoot);
  }
  const found = readCredential(getCredentialPath(root, providerUrl));
  if (found === undefined) {
    const message = `no client credential for ${providerUrl} yet`;
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
  // A demo's token gives way unasked.
  const over = isDemo ? "" : " --replace";
  const place = cacheRoot ? ` --cache-root ${quoteForShell(resolve(cacheRoot))}` : "";
  return `npx pdpp connect ${quoteForShell(providerUrl)}${over}${place}`;
}

/** What to say of a kept token that the server answers with 401; nothing when it was not a kept one. */
export function describeStaleCredential({ providerUrl, askAgain }: ClientCredential) {
  if (askAgain === undefined) return undefined;
  return {
    message: `the cached token for ${providerUrl} is not known to this server: another vault is served there now, or the grant is gone`,
    next: `${askAgain} asks its owner for access`,
  };
}

function getRequestedUrl({ providerUrl, env }: CredentialRequest): string | undefined {
  const told = providerUrl || env.PDPP_PROVIDER_URL;
  return told ? normalizeProviderUrl(told) : undefined;
}

/** The servers that the cache knows. One whose credential has ended, or a demo, counts only when there is no other. */
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
    `${place} holds an owner's credential; this command only takes a client's`,
    place === "PDPP_ACCESS_TOKEN"
      ? "unset PDPP_ACCESS_TOKEN, or set it to a client's token"
      : describeHowToConnect(undefined, true),
  );

/** The command that asks the owner for a credential, and the one that an owner at the vault's computer can run instead. */
export function describeHowToConnect(providerUrl = defaultProviderUrl, replace = false, cacheRoot?: string): string {
  const server = providerUrl === defaultProviderUrl ? "" : ` --provider-url ${providerUrl}`;
  const over = replace ? " --replace" : "";
  const place = cacheRoot ? ` --cache-root ${quoteForShell(resolve(cacheRoot))}` : "";
  return (
    `to ask the owner for one, run: pdpp connect ${quoteForShell(providerUrl)}${over}${place}; ` +
    `or the owner runs: pdpp grant create --client NAME --connection ID --stream STREAM --save${server}${over}`
  );
}
