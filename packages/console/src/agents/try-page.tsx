import type { Agent } from "@pdpp/consent/agents";
import { type Html, renderLetterMark, renderPage } from "../frame/frame.tsx";
import { renderBackLink } from "../frame/render/parts.tsx";
import { renderText } from "../frame/render/values.tsx";
import type { ToolResult } from "../frame/session.ts";
import type { PageContext } from "./agent-rows.tsx";
import { buildPageOptions } from "./agents-page.tsx";

/** Tool calls that show what an agent would see now: its first look at the schema, and a search. */

export interface ToolCall extends ToolResult {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface TestView extends PageContext {
  readonly agent: Agent;
  readonly q: string;
  readonly calls: readonly ToolCall[];
}

export const renderTestPage = (view: TestView): Html =>
  renderPage(
    `Test as ${view.agent.client}`,
    <>
      {renderBackLink(`/agents/${view.agent.id}`, renderText(view.agent.client))}
      <div class="title">
        {renderLetterMark(view.agent.client)}
        <h1>What {renderText(view.agent.client)} receives</h1>
      </div>
      <p>
        Runs the tools with this agent's access. Nothing is sent to the agent, and nothing is logged as its activity.
      </p>
      <form class="line" action={`/agents/${view.agent.id}/try`}>
        <label>
          Search for <input type="text" name="q" value={view.q} maxlength={2000} autocomplete="off" />
        </label>
        <button>Run</button>
      </form>
      {view.calls.map(renderCall)}
    </>,
    { ...buildPageOptions(view), isWide: true },
  );

const renderCall = ({ tool, args, text, isError }: ToolCall): Html => (
  <section class="tool-output" aria-label={`Result of ${tool}`}>
    <h2>{tool}</h2>
    <p class="soft">
      {isError && "Error: "}
      <code>
        {tool} {JSON.stringify(args)}
      </code>{" "}
      returned:
    </p>
    <pre dir="auto" tabindex={0}>
      {text}
    </pre>
  </section>
);
