import type { Html } from "../frame/frame.tsx";
import type { ToolResult } from "../frame/session.ts";

/** A tool call and the exact text an agent gets for it. */
export interface ToolOutput extends ToolResult {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export const renderToolOutput = (toolOutput: ToolOutput | undefined): Html =>
  toolOutput === undefined ? (
    <></>
  ) : (
    <section class="tool-output" id="tool-output" aria-label="What the agent receives">
      <h2>What the agent receives</h2>
      <p class="soft">
        The exact result of{" "}
        <code>
          {toolOutput.tool} {JSON.stringify(toolOutput.args)}
        </code>
        :
      </p>
      <pre dir="auto" tabindex={0}>
        {toolOutput.text}
      </pre>
    </section>
  );

/** Shows the owner's view and the agent's view side by side if there is room. */
export const renderBesideToolOutput = (shown: Html, toolOutput: ToolOutput | undefined): Html =>
  toolOutput === undefined ? (
    shown
  ) : (
    <div class="found both">
      <div>{shown}</div>
      {renderToolOutput(toolOutput)}
    </div>
  );
