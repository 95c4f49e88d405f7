import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { AdapterStart } from "@pdpp/agent-setup/known-agents";
import { type Environment, listCredentials, resolveCacheRoot } from "../credentials/credential-file.ts";
import { listKnownUrls, requireSingleUrl } from "../credentials/credentials.ts";
import { defaultProviderUrl, normalizeProviderUrl } from "../credentials/provider-url.ts";

interface StartRequest {
  readonly providerUrl?: string;
  readonly cacheRoot?: string;
  readonly env: Environment;
}

export const pdppFile = fileURLToPath(new URL("../../bin/pdpp.mjs", import.meta.url));

/** The Node that runs us: the machine's if it is new enough, otherwise the pinned one. */
export const getNodeFile = (): string => process.execPath;

/** Always names the server, so that a grant saved later does not change what an agent reads. */
export function buildStartCommand(request: StartRequest): AdapterStart & { readonly providerUrl: string } {
  const { env } = request;
  const cacheRoot = request.cacheRoot || env.PDPP_CACHE_ROOT;
  const known = listKnownUrls(listCredentials(resolveCacheRoot(cacheRoot, env)));
  const requestedUrl = request.providerUrl || env.PDPP_PROVIDER_URL;
  const providerUrl = requestedUrl
    ? normalizeProviderUrl(requestedUrl)
    : (requireSingleUrl(known) ?? defaultProviderUrl);
  return {
    providerUrl,
    command: getNodeFile(),
    args: [pdppFile, "mcp", "--provider-url", providerUrl, ...(cacheRoot ? ["--cache-root", resolve(cacheRoot)] : [])],
  };
}
