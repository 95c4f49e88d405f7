import type { SourceAccess } from "@pdpp/server/consent/access";
import type { Agent } from "@pdpp/server/consent/agents";
import { html } from "hono/html";
import { type Html, letterMark, page, proofField } from "../frame/frame.ts";
import type { Proof } from "../frame/proof.ts";
import { ago, onDay } from "../frame/time-words.ts";
import { formatSourceAccess } from "../frame/words.ts";
import { letInSection, type Way } from "./let-in.ts";

/** Who may read what, and since when; the button that ends it; and how to let another in. */

export interface Shown {
  readonly proof: Proof;
  readonly now: number;
}

export interface AgentsView extends Shown {
  readonly agents: readonly Agent[];
  readonly mcpUrl: string;
  readonly ways: readonly Way[];
  /** Of an agent that was just ended. */
  readonly ended: string | undefined;
}

export const around = ({ proof }: Shown) => ({ owner: { room: "/agents", proof } }) as const;

export function agentsPage(view: AgentsView): Html {
  const active = view.agents.filter(({ status }) => status === "active");
  const ended = view.agents.filter(({ status }) => status !== "active");
  return page(
    "Agents",
    html`<h1>Connected agents</h1>
${view.ended === undefined ? "" : html`<p class="done" role="status"><strong>${view.ended}</strong> no longer has access. If it asks again, you'll be asked to approve it.</p>`}
${
  active.length === 0
    ? html`<p>No agents are connected. Only agents you approve can read your vault.</p>`
    : html`<ul class="rows">${active.map((agent) => row(agent, view))}</ul>`
}
${letInSection(view.ways, view.mcpUrl)}
${
  ended.length === 0
    ? ""
    : html`<details><summary>Past access (${ended.length})</summary><ul class="rows quiet">${ended.map((agent) => row(agent, view))}</ul></details>`
}`,
    around(view),
  );
}

const row = (agent: Agent, shown: Shown): Html => html`<li>${letterMark(agent.client)}
<div class="about"><h2><bdi><a href="/agents/${agent.id}">${agent.client}</a></bdi></h2>
<p>${accessSummary(agent.access)}</p>
<p class="soft">${timeLine(agent, shown.now)}</p></div>
${agent.status === "active" ? revokeForm(agent, shown) : ""}</li>`;

/** Its accounts, where they say more than its own name. */
export const besideName = ({ label, accounts }: SourceAccess): Html | string =>
  accounts.length === 1 && accounts[0] === label ? "" : html` <span class="soft">${accounts.join(", ")}</span>`;

const mostSources = 3;

export function accessSummary(sources: readonly SourceAccess[]): Html {
  const lines = sources
    .slice(0, mostSources)
    .map(
      (source) =>
        html`<span class="source"><strong>${source.label}</strong>${besideName(source)}: ${formatSourceAccess(source)}</span>`,
    );
  const rest = sources.length - lines.length;
  return html`${lines}${rest > 0 ? html`<span class="source soft">and ${rest} more</span>` : ""}`;
}

export function timeLine(agent: Agent, now: number): Html {
  const { status, since, until, endedAt } = agent;
  const end =
    status === "active"
      ? until === undefined
        ? html`until you revoke it`
        : html`until ${onDay(until)}`
      : html`${status} ${ago(endedAt, now)}`;
  return html`Since ${onDay(since)}, ${end} · ${lastReadText(agent, now)}`;
}

function lastReadText({ lastRead }: Agent, now: number): Html {
  if (lastRead === "never") return html`never used`;
  return lastRead === "not lately" ? html`not used recently` : html`last used ${ago(lastRead, now)}`;
}

export const revokeForm = ({ id, client }: Agent, { proof }: Shown): Html =>
  html`<form method="post" action="/agents/${id}/revoke">${proofField(proof)}<button class="danger">Revoke<span class="hidden"> ${client}</span></button></form>`;

export const operationWords: Readonly<Record<string, string>> = {
  schema: "listed the available data",
  connectors: "listed the available data",
  streams: "listed the available data",
  stream: "listed the available data",
  queryRecords: "listed records",
  fetch: "opened a record",
  aggregate: "counted records",
  search: "searched",
  readField: "read a long text",
  readBlob: "opened a file",
  export: "exported records",
};
