import { html } from "hono/html";
import type { Html } from "../frame/frame.ts";
import type { ToolText } from "../frame/session.ts";

/** A call as an agent makes it, and the exact text that it gets. */
export interface Told extends ToolText {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export const toldView = (told: Told | undefined): Html =>
  told === undefined
    ? html``
    : html`<section class="told" id="told" aria-label="What the agent receives"><h2>What the agent receives</h2>
<p class="soft">The exact result of <code>${told.tool} ${JSON.stringify(told.args)}</code>:</p>
<pre dir="auto" tabindex="0">${told.text}</pre></section>`;

/** What the owner sees and what the agent gets, side by side where there is room. */
export const besideTold = (shown: Html, told: Told | undefined): Html =>
  told === undefined ? shown : html`<div class="found both"><div>${shown}</div>${toldView(told)}</div>`;
