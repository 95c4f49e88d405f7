import { commandName } from "@pdpp/agent-setup/command-name";
import { chatGpt } from "@pdpp/agent-setup/known-agents";
import { isPublicUrl } from "@pdpp/agent-setup/loopback";
import { normalizeProviderUrl } from "../credentials/provider-url.ts";

/** An agent that connects over the internet. */
interface HostedSetup {
  readonly ready: boolean;
  readonly mcp_url?: string;
  readonly missing: string[];
  readonly next?: string;
}

export function describeHostedSetup(requestedUrl: string | undefined): HostedSetup {
  const url = requestedUrl ? normalizeProviderUrl(requestedUrl) : undefined;
  if (url === undefined || !isPublicUrl(url)) {
    const address = `${chatGpt.needs}: serve the vault with ${commandName} serve --public-url URL, then run ${commandName} setup chatgpt --provider-url URL`;
    return { ready: false, missing: [address] };
  }
  return {
    ready: true,
    mcp_url: `${url}/mcp`,
    missing: [],
    next: `in ${chatGpt.title}: ${chatGpt.steps}. Check it first with: ${commandName} doctor ${url}`,
  };
}
