import { resolve } from "node:path";
import { isSea } from "node:sea";
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

const pdppFile = fileURLToPath(new URL("../../bin/pdpp.mjs", import.meta.url));

/** What other programs run to start pdpp from any folder: the single executable, or the Node that runs us with the file of pdpp. */
export const getProgram = (): readonly [command: string, ...args: string[]] =>
  isSea() ? [process.execPath] : [process.execPath, pdppFile];

/** Always names the server, so that a grant saved later does not change what an agent reads. */
export function buildStartCommand(request: StartRequest): AdapterStart & { readonly providerUrl: string } {
  const { env } = request;
  const cacheRoot = request.cacheRoot || env.PDPP_CACHE_ROOT;
  const known = listKnownUrls(listCredentials(resolveCacheRoot(cacheRoot, env)));
  const requestedUrl = request.providerUrl || env.PDPP_PROVIDER_URL;
  const providerUrl = requestedUrl
    ? normalizeProviderUrl(requestedUrl)
    : (requireSingleUrl(known) ?? defaultProviderUrl);
  const [command, ...first] = getProgram();
  return {
    providerUrl,
    command,
    args: [...first, "mcp", "--provider-url", providerUrl, ...(cacheRoot ? ["--cache-root", resolve(cacheRoot)] : [])],
  };
}
