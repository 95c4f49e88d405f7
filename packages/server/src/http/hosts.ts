import { PdppError } from "@pdpp/contract/errors";
import ipaddr from "ipaddr.js";

/** Which host names a server answers to by name: its public one, this machine and its private network, and those it was told. */
export interface HostPolicy {
  readonly publicUrl?: string | undefined;
  readonly allowedHosts?: readonly string[] | undefined;
}

const ownRanges: ReadonlySet<string> = new Set(["loopback", "private", "uniqueLocal"]);

/** This machine, or an address that only its own network can reach. */
function isOwnNetwork(hostname: string): boolean {
  if (hostname === "localhost" || hostname.endsWith(".localhost")) return true;
  const address = hostname.replace(/^\[(.*)\]$/, "$1");
  return ipaddr.isValid(address) && ownRanges.has(ipaddr.process(address).range());
}

export function isTrustedHost(request: Request, policy: HostPolicy): boolean {
  const { host, hostname } = new URL(request.url);
  if (policy.publicUrl !== undefined && new URL(policy.publicUrl).host === host) return true;
  return (
    isOwnNetwork(hostname) || (policy.allowedHosts ?? []).some((allowed) => allowed === host || allowed === hostname)
  );
}

/** Refuses a request that came by another name: a page must not reach a vault through a name of its own. */
export function checkHost(request: Request, policy: HostPolicy): void {
  if (isTrustedHost(request, policy)) return;
  throw new PdppError("misdirected_request", "Host not allowed; start the server with --public-url or --allowed-host");
}

/** A page of another site must not talk to a vault on this machine through its visitor's browser. */
export function checkOrigin(request: Request, policy: HostPolicy): void {
  const origin = request.headers.get("origin");
  if (origin === null) return;
  const trusted = URL.canParse(origin) && isTrustedHost(new Request(origin), policy);
  if (!trusted)
    throw new PdppError("permission_error", "Origin not allowed; start the server with --allowed-host for that host");
}

/** The server's own address, as the caller reached it or as it is told. */
export const originOf = (request: Request, policy: HostPolicy): string =>
  policy.publicUrl === undefined ? new URL(request.url).origin : new URL(policy.publicUrl).origin;

/** A token that was given for another server is worth nothing here. A machine's own names are one server. */
export function checkAudience(request: Request, policy: HostPolicy, audience: string | undefined): void {
  if (audience === undefined) return;
  const own = new URL(originOf(request, policy));
  const meant = URL.canParse(audience) ? new URL(audience) : undefined;
  const isSame =
    meant !== undefined &&
    (meant.origin === own.origin || (meant.port === own.port && [meant, own].every((url) => isLoopback(url.hostname))));
  if (!isSame) throw new PdppError("authentication_error", "the access token was given for another server");
}

const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || hostname === "::1" || /^127(\.\d{1,3}){3}$/.test(hostname);

/** Nobody reaches it but from this computer, as far as a server can tell: it listens nowhere else, and has no other name. */
export const isOnlyHere = (host: string, { publicUrl, allowedHosts = [] }: HostPolicy): boolean =>
  isLoopback(host) &&
  (publicUrl === undefined || isLoopback(new URL(publicUrl).hostname)) &&
  allowedHosts.every((name) => isLoopback(name.replace(/:\d+$/, "")));
