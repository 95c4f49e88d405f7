import { formatConfigSnippet } from "@pdpp/agent-setup/config-snippet";
import { chatGpt, defaultServerName, type KnownAgent, knownAgents } from "@pdpp/agent-setup/known-agents";
import { isPublicUrl } from "@pdpp/agent-setup/loopback";
import type { Html } from "../frame/frame.tsx";

/** Setup instructions for the agents we know, with this server's address filled in. */

export interface SetupGuide {
  readonly title: string;
  /** Steps in order; the last one checks that it works. */
  readonly steps: readonly { readonly text: string; readonly code?: string }[];
}

const createConfigStep = ({ place, format, section }: KnownAgent, value: object): SetupGuide["steps"][number] => ({
  text: `Add this to ${place}`,
  code: formatConfigSnippet(format, section, defaultServerName, value),
});

/** For agents that sign in: they send the owner to the consent page. */
export function listSetupGuides(origin: string): SetupGuide[] {
  const ways = knownAgents.map((agent): SetupGuide => {
    const { key, title, hosted, check } = agent;
    if (hosted === undefined)
      return {
        title,
        steps: [
          { text: "On the agent's computer, request access", code: `npx pdpp connect ${origin}` },
          { text: "Write the agent's configuration", code: `npx pdpp setup ${key} --write --provider-url ${origin}` },
          { text: `Check that it works: ${check}` },
        ],
      };
    return {
      title,
      steps: [
        createConfigStep(agent, hosted.entry(`${origin}/mcp`)),
        { text: "Sign in and choose what it can read", code: hosted.signIn },
        { text: "Check that it works", code: check },
      ],
    };
  });
  const far: SetupGuide = {
    title: chatGpt.title,
    steps: isPublicUrl(origin)
      ? [{ text: chatGpt.steps, code: `${origin}/mcp` }]
      : [{ text: `It needs ${chatGpt.needs}. Start the server with pdpp serve --public-url.` }],
  };
  return [...ways, far];
}

/** For a token that was already created. */
export const listTokenSetupGuides = (origin: string, token: string): SetupGuide[] =>
  knownAgents.flatMap((agent) => {
    const { title, hosted, check } = agent;
    if (hosted === undefined) return [];
    const headers = { Authorization: `Bearer ${token}` };
    return [
      {
        title,
        steps: [
          createConfigStep(agent, hosted.withToken(`${origin}/mcp`, headers)),
          { text: "Check that it works", code: check },
        ],
      },
    ];
  });

const renderSetupGuide = ({ title, steps }: SetupGuide): Html => (
  <details class="way">
    <summary>{title}</summary>
    <ol>
      {steps.map(({ text, code }) => (
        <li>
          {text}
          {code !== undefined && <pre class="copy">{code}</pre>}
        </li>
      ))}
    </ol>
  </details>
);

export const renderSetupGuides = (ways: readonly SetupGuide[]): Html => (
  <div class="ways">{ways.map(renderSetupGuide)}</div>
);

export const renderConnectSection = (ways: readonly SetupGuide[], mcpUrl: string): Html => (
  <section class="card">
    <h2>Connect an agent</h2>
    <p>Give the agent this address. It opens a page here where you choose what it can read.</p>
    <p>
      <code class="copy">{mcpUrl}</code>
    </p>
    {renderSetupGuides(ways)}
    <p class="soft">
      For a script, or an agent that can't sign in, <a href="/agents/new">create a token</a>.
    </p>
  </section>
);
