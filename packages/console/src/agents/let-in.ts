import { chatGpt, defaultServerName, type KnownAgent, knownAgents } from "@pdpp/contract/agent-clients";
import { formatConfigSnippet } from "@pdpp/contract/config-snippet";
import { isPublicUrl } from "@pdpp/contract/loopback";
import { html } from "hono/html";
import type { Html } from "../frame/frame.ts";

/** For each agent that we know the one way to connect it, with the address filled in. */

export interface Way {
  readonly title: string;
  /** What to do, in order; the last is how one sees that it works. */
  readonly steps: readonly { readonly text: string; readonly code?: string }[];
}

const putInto = ({ place, format, section }: KnownAgent, value: object): Way["steps"][number] => ({
  text: `Add this to ${place}`,
  code: formatConfigSnippet(format, section, defaultServerName, value),
});

/** It comes by itself, and sends the owner to a page here. */
export function waysIn(origin: string): Way[] {
  const ways = knownAgents.map((agent): Way => {
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
        putInto(agent, hosted.entry(`${origin}/mcp`)),
        { text: "Sign in and choose what it can read", code: hosted.signIn },
        { text: "Check that it works", code: check },
      ],
    };
  });
  const far: Way = {
    title: chatGpt.title,
    steps: isPublicUrl(origin)
      ? [{ text: chatGpt.steps, code: `${origin}/mcp` }]
      : [{ text: `It needs ${chatGpt.needs}. Start the server with pdpp serve --public-url.` }],
  };
  return [...ways, far];
}

/** With a token that is there already. */
export const waysWithToken = (origin: string, token: string): Way[] =>
  knownAgents.flatMap((agent) => {
    const { title, hosted, check } = agent;
    if (hosted === undefined) return [];
    const headers = { Authorization: `Bearer ${token}` };
    return [
      {
        title,
        steps: [
          putInto(agent, hosted.withToken(`${origin}/mcp`, headers)),
          { text: "Check that it works", code: check },
        ],
      },
    ];
  });

const wayView = ({ title, steps }: Way): Html => html`<details class="way"><summary>${title}</summary>
<ol>${steps.map(({ text, code }) => html`<li>${text}${code === undefined ? "" : html`<pre class="copy">${code}</pre>`}</li>`)}</ol></details>`;

export const waysView = (ways: readonly Way[]): Html => html`<div class="ways">${ways.map(wayView)}</div>`;

export const letInSection = (
  ways: readonly Way[],
  mcpUrl: string,
): Html => html`<section class="card"><h2>Connect an agent</h2>
<p>Give the agent this address. It opens a page here where you choose what it can read.</p>
<p><code class="copy">${mcpUrl}</code></p>
${waysView(ways)}
<p class="soft">For a script, or an agent that can't sign in, <a href="/agents/new">create a token</a>.</p></section>`;
