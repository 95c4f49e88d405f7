import { PdppError } from "@pdpp/contract/errors";
import ipaddr from "ipaddr.js";
import { LRUCache } from "lru-cache";

/** The host names a server accepts: its public URL, this machine, its private network, and those listed here. */
export interface HostPolicy {
  readonly publicUrl?: string | undefined;
  readonly allowedHosts?: readonly string[] | undefined;
}

const privateRanges: ReadonlySet<string> = new Set(["loopback", "private", "uniqueLocal"]);

const maxKnownNames = 1000;
const knownNames = new LRUCache<string, boolean>({ max: maxKnownNames });

/** This machine, or an address in its private network. */
export function isOwnNetwork(hostname: string): boolean {
  const known = knownNames.get(hostname);
  if (known !== undefined) return known;
  const isOwn = belongsToOwnNetwork(hostname);
  knownNames.set(hostname, isOwn);
  return isOwn;
}

function belongsToOwnNetwork(hostname: string): boolean {
  if (hostname === "localhost" || hostname.endsWith(".localhost")) return true;
  const address = hostname.replace(/^\[(.*)\]$/, "$1");
  return ipaddr.isValid(address) && privateRanges.has(ipaddr.process(address).range());
}

export function isTrustedHost({ host, hostname }: URL, policy: HostPolicy): boolean {
  if (policy.publicUrl !== undefined && new URL(policy.publicUrl).host === host) return true;
  return (
    isOwnNetwork(hostname) || (policy.allowedHosts ?? []).some((allowed) => allowed === host || allowed === hostname)
  );
}

/** Refuses foreign host names, so that no web page can reach the vault through DNS rebinding. */
export function checkHost(url: URL, policy: HostPolicy): void {
  if (isTrustedHost(url, policy)) return;
  throw new PdppError("misdirected_request", "Host not allowed; start the server with --public-url or --allowed-host");
}

/** Refuses cross-origin requests: a web page must not use its visitor's browser to reach a local vault. */
export function checkOrigin(request: Request, policy: HostPolicy): void {
  const origin = request.headers.get("origin");
  if (origin === null) return;
  const trusted = URL.canParse(origin) && isTrustedHost(new URL(origin), policy);
  if (!trusted)
    throw new PdppError("permission_error", "Origin not allowed; start the server with --allowed-host for that host");
}

export const getOrigin = (request: Request, policy: HostPolicy): string =>
  policy.publicUrl === undefined ? new URL(request.url).origin : new URL(policy.publicUrl).origin;

/** Refuses a token issued for another server. All loopback names of a machine count as one. */
export function checkAudience(request: Request, policy: HostPolicy, audience: string | undefined): void {
  if (audience === undefined) return;
  const own = new URL(getOrigin(request, policy));
  const meant = URL.canParse(audience) ? new URL(audience) : undefined;
  const isSame =
    meant !== undefined &&
    (meant.origin === own.origin || (meant.port === own.port && [meant, own].every((url) => isLoopback(url.hostname))));
  if (!isSame) throw new PdppError("authentication_error", "the access token was given for another server");
}

const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || hostname === "::1" || /^127(\.\d{1,3}){3}$/.test(hostname);

/** Whether the server can be reached from this computer only, as far as it can tell. */
export const isLocalOnly = (host: string, { publicUrl, allowedHosts = [] }: HostPolicy): boolean =>
  isLoopback(host) &&
  (publicUrl === undefined || isLoopback(new URL(publicUrl).hostname)) &&
  allowedHosts.every((name) => isLoopback(name.replace(/:\d+$/, "")));
