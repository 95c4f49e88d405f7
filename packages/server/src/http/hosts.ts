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

/** The server's own address, as the caller reached it or as it is told. */
export const originOf = (request: Request, policy: HostPolicy): string =>
  policy.publicUrl === undefined ? new URL(request.url).origin : new URL(policy.publicUrl).origin;
