import { chatGpt, defaultServerName, type KnownAgent, knownAgents } from "@pdpp/contract/agent-clients";
import { configSnippet } from "@pdpp/contract/config-snippet";
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
  text: `Put this into ${place}`,
  code: configSnippet(format, section, defaultServerName, value),
});

/** It comes by itself, and sends the owner to a page here. */
export function waysIn(origin: string): Way[] {
  const ways = knownAgents.map((agent): Way => {
    const { key, title, hosted, check } = agent;
    if (hosted === undefined)
      return {
        title,
        steps: [
          { text: "On its computer, have it ask you", code: `npx pdpp connect ${origin}` },
          { text: "Write its configuration", code: `npx pdpp setup ${key} --write --provider-url ${origin}` },
          { text: `To see that it works: ${check}` },
        ],
      };
    return {
      title,
      steps: [
        putInto(agent, hosted.entry(`${origin}/mcp`)),
        { text: "Sign in, and tick here what it may read", code: hosted.signIn },
        { text: "To see that it works", code: check },
      ],
    };
  });
  const far: Way = {
    title: chatGpt.title,
    steps: isPublicUrl(origin)
      ? [{ text: chatGpt.steps, code: `${origin}/mcp` }]
      : [{ text: `It needs ${chatGpt.needs}, and this vault has none: see pdpp serve --public-url.` }],
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
          { text: "To see that it works", code: check },
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
): Html => html`<section class="card"><h2>Let an agent in</h2>
<p>Give it this address. It sends you to a page here, where you tick what it may read.</p>
<p><code class="copy">${mcpUrl}</code></p>
${waysView(ways)}
<p class="soft">For a script, or an agent that cannot sign in: <a href="/agents/new">make a token by hand</a>.</p></section>`;
