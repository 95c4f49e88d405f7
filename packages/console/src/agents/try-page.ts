import type { Agent } from "@pdpp/server/consent/agents";
import { html } from "hono/html";
import { type Html, letterMark, page } from "../frame/frame.ts";
import type { ToolText } from "../frame/session.ts";
import { said } from "../frame/value-view.ts";
import { around, type Shown } from "./agents-page.ts";

/** What an agent would be told right now: its first look at what there is, and a search. */

export interface TriedCall extends ToolText {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface TryView extends Shown {
  readonly agent: Agent;
  readonly q: string;
  readonly calls: readonly TriedCall[];
}

export const tryPage = (view: TryView): Html =>
  page(
    `Test as ${view.agent.client}`,
    html`<p class="back"><a href="/agents/${view.agent.id}">${said(view.agent.client)}</a></p>
<div class="title">${letterMark(view.agent.client)}<h1>What ${said(view.agent.client)} receives</h1></div>
<p>Runs the tools with this agent's access. Nothing is sent to the agent, and nothing is logged as its activity.</p>
<form class="line" action="/agents/${view.agent.id}/try"><label>Search for <input type="text" name="q" value="${view.q}" maxlength="2000" autocomplete="off"></label><button>Run</button></form>
${view.calls.map(callView)}`,
    { ...around(view), isWide: true },
  );

const callView = ({
  tool,
  args,
  text,
  isError,
}: TriedCall): Html => html`<section class="told" aria-label="Result of ${tool}">
<h2>${tool}</h2><p class="soft">${isError ? "Error: " : ""}<code>${tool} ${JSON.stringify(args)}</code> returned:</p>
<pre dir="auto" tabindex="0">${text}</pre></section>`;
