import { PdppError } from "@pdpp/contract/errors";

/** Which host names a server answers to by name: its public one, this machine and its private network, and those it was told. */
export interface HostPolicy {
  readonly publicUrl?: string | undefined;
  readonly allowedHosts?: readonly string[] | undefined;
}

const privateAddress =
  /^(localhost|.*\.localhost|127(\.\d+){3}|10(\.\d+){3}|192\.168(\.\d+){2}|172\.(1[6-9]|2\d|3[01])(\.\d+){2}|\[::1\])$/;

export function isTrustedHost(request: Request, policy: HostPolicy): boolean {
  const { host, hostname } = new URL(request.url);
  if (policy.publicUrl !== undefined && new URL(policy.publicUrl).host === host) return true;
  return (
    privateAddress.test(hostname) ||
    (policy.allowedHosts ?? []).some((allowed) => allowed === host || allowed === hostname)
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
