import { formatConfigSnippet } from "@pdpp/agent-setup/config-snippet";
import { defaultServerName, type KnownAgent, knownAgents } from "@pdpp/agent-setup/known-agents";
import type { Html } from "../frame/frame.tsx";
import { renderCopyLine } from "./copy-line.tsx";

/** Setup instructions for a token that was already created. */

export interface SetupGuide {
  readonly title: string;
  /** Steps in order; the last one checks that it works. */
  readonly steps: readonly { readonly text: string; readonly code?: string }[];
}

export const formatConfig = ({ format, section }: KnownAgent, value: object): string =>
  formatConfigSnippet(format, section, defaultServerName, value);

export const listTokenSetupGuides = (origin: string, token: string): SetupGuide[] =>
  knownAgents.flatMap((agent) => {
    const { title, place, hosted, check } = agent;
    if (hosted === undefined) return [];
    const headers = { Authorization: `Bearer ${token}` };
    return [
      {
        title,
        steps: [
          { text: `Add this to ${place}`, code: formatConfig(agent, hosted.withToken(`${origin}/mcp`, headers)) },
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
          {code !== undefined && renderCopyLine(code)}
        </li>
      ))}
    </ol>
  </details>
);

export const renderSetupGuides = (ways: readonly SetupGuide[]): Html => (
  <div class="ways">{ways.map(renderSetupGuide)}</div>
);
