import { createRequire } from "node:module";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { cachedIn, cacheRoots, type Environment } from "../credential-file.ts";
import { knownUrls, onlyUrl } from "../credentials.ts";
import { defaultProviderUrl, normalProviderUrl } from "../provider-url.ts";

/** The name under which an agent knows us. */
export const defaultServerName = "pdpp";

/** How an agent starts the adapter, from whatever folder it is in. */
export interface Start {
  readonly command: string;
  readonly args: readonly string[];
}

interface StartRequest {
  readonly providerUrl?: string;
  readonly cacheRoot?: string;
  readonly project?: boolean;
  readonly env: Environment;
}

export const pdppFile = fileURLToPath(new URL("../../bin/pdpp.mjs", import.meta.url));

/** The Node that the repository pins; the agent's own may be older than the sources need. */
export function nodeFile(): string {
  const require = createRequire(import.meta.url);
  for (const name of ["node/bin/node", "node/bin/node.exe"]) {
    try {
      return require.resolve(name);
    } catch {
      // The other spelling, or none.
    }
  }
  return process.execPath;
}

/** The server is always named: another grant saved later must not change what an agent reads. */
export function startFor(request: StartRequest): Start & { readonly providerUrl: string } {
  const { env, project } = request;
  const cacheRoot = request.cacheRoot || env.PDPP_CACHE_ROOT;
  const roots = cacheRoots(cacheRoot, env);
  // Which folder it will be started from is known for a project only.
  const known = knownUrls((project ? roots : roots.slice(-1)).flatMap(cachedIn));
  const told = request.providerUrl || env.PDPP_PROVIDER_URL;
  const providerUrl = told ? normalProviderUrl(told) : (onlyUrl(known) ?? defaultProviderUrl);
  return {
    providerUrl,
    command: nodeFile(),
    args: [pdppFile, "mcp", "--provider-url", providerUrl, ...(cacheRoot ? ["--cache-root", resolve(cacheRoot)] : [])],
  };
}
