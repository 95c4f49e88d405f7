import type { SourceAccess } from "@pdpp/consent/access";
import type { Agent } from "@pdpp/consent/agents";
import { html } from "hono/html";
import { type Html, renderCsrfField, renderLetterMark, renderPage } from "../frame/frame.ts";
import { formatSourceAccess } from "../frame/render/sentences.ts";
import { renderAgo, renderDay } from "../frame/render/times.ts";
import type { Viewer } from "../frame/viewer.ts";
import { renderConnectSection, type SetupGuide } from "./setup-guides.ts";

/** All agents with their access, and how to connect another. */

export interface PageContext {
  readonly viewer: Viewer;
  readonly now: number;
}

export interface AgentsView extends PageContext {
  readonly agents: readonly Agent[];
  readonly mcpUrl: string;
  readonly ways: readonly SetupGuide[];
  /** The name of an agent that was just revoked. */
  readonly ended: string | undefined;
}

export const buildPageOptions = ({ viewer }: PageContext) => ({ owner: { room: "/agents", viewer } }) as const;

export function renderAgentsPage(view: AgentsView): Html {
  const active = view.agents.filter(({ status }) => status === "active");
  const ended = view.agents.filter(({ status }) => status !== "active");
  return renderPage(
    "Agents",
    html`<h1>Connected agents</h1>
${view.ended === undefined ? "" : html`<p class="done" role="status"><strong>${view.ended}</strong> no longer has access. If it asks again, you'll be asked to approve it.</p>`}
${
  active.length === 0
    ? html`<p>No agents are connected. Only agents you approve can read your vault.</p>`
    : html`<ul class="rows">${active.map((agent) => renderAgent(agent, view))}</ul>`
}
${renderConnectSection(view.ways, view.mcpUrl)}
${
  ended.length === 0
    ? ""
    : html`<details><summary>Past access (${ended.length})</summary><ul class="rows quiet">${ended.map((agent) => renderAgent(agent, view))}</ul></details>`
}`,
    buildPageOptions(view),
  );
}

const renderAgent = (agent: Agent, shown: PageContext): Html => html`<li>${renderLetterMark(agent.client)}
<div class="about"><h2><bdi><a href="/agents/${agent.id}">${agent.client}</a></bdi></h2>
<p>${renderAccessSummary(agent.access)}</p>
<p class="soft">${renderTimes(agent, shown.now)}</p></div>
${agent.status === "active" ? renderRevokeForm(agent, shown) : ""}</li>`;

/** Left out when the only account has the source's name. */
export const renderAccounts = ({ label, accounts }: SourceAccess): Html | string =>
  accounts.length === 1 && accounts[0] === label ? "" : html` <span class="soft">${accounts.join(", ")}</span>`;

const maxSources = 3;

export function renderAccessSummary(sources: readonly SourceAccess[]): Html {
  const lines = sources
    .slice(0, maxSources)
    .map(
      (source) =>
        html`<span class="source"><strong>${source.label}</strong>${renderAccounts(source)}: ${formatSourceAccess(source)}</span>`,
    );
  const rest = sources.length - lines.length;
  return html`${lines}${rest > 0 ? html`<span class="source soft">and ${rest} more</span>` : ""}`;
}

export function renderTimes(agent: Agent, now: number): Html {
  const { status, since, until, endedAt } = agent;
  const end =
    status === "active"
      ? until === undefined
        ? html`until you revoke it`
        : html`until ${renderDay(until)}`
      : html`${status} ${renderAgo(endedAt, now)}`;
  return html`Since ${renderDay(since)}, ${end} · ${renderLastUsed(agent, now)}`;
}

function renderLastUsed({ lastRead }: Agent, now: number): Html {
  if (lastRead === "never") return html`never used`;
  return lastRead === "not lately" ? html`not used recently` : html`last used ${renderAgo(lastRead, now)}`;
}

export const renderRevokeForm = ({ id, client }: Agent, { viewer }: PageContext): Html =>
  html`<form method="post" action="/agents/${id}/revoke">${renderCsrfField(viewer)}<button class="danger">Revoke<span class="hidden"> ${client}</span></button></form>`;

export const operationLabels: Readonly<Record<string, string>> = {
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
