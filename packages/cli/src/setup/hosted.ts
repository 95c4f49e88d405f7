import { isLoopback, normalProviderUrl } from "../provider-url.ts";

/** For an agent that runs elsewhere and comes over the internet. */
interface HostedPath {
  readonly ready: boolean;
  readonly mcp_url?: string;
  readonly missing: string[];
  readonly next?: string;
}

export function hostedPath(told: string | undefined): HostedPath {
  const url = told ? normalProviderUrl(told) : undefined;
  const reachable = url?.startsWith("https:") && !isLoopback(url);
  if (!reachable) {
    const address =
      "a public https address: serve the vault with pdpp serve --public-url URL, then run pdpp setup chatgpt --provider-url URL";
    return { ready: false, missing: [address] };
  }
  return {
    ready: true,
    mcp_url: `${url}/mcp`,
    missing: [],
    next: `in ChatGPT: Settings, Apps & Connectors, add one with that address; it sends you to a page where you decide. pdpp doctor ${url} checks it first`,
  };
}
