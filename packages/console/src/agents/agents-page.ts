import type { Grant } from "@pdpp/contract/grant";
import { instantOf } from "@pdpp/contract/instant";
import type { AccessDocument } from "@pdpp/contract/owner";
import { html } from "hono/html";
import { wornPath } from "../frame/addresses.ts";
import { type Html, letterMark, page, proofField } from "../frame/frame.ts";
import { ago, onDay } from "../frame/time-words.ts";
import { type ReadableSource, sourceWords } from "../frame/words.ts";

/** Who may read what, and since when; one of them in full; and the button that ends it. */

export interface Agent {
  readonly id: string;
  readonly client: string;
  readonly clientId: string;
  /** What it holds: of one that has ended, what it held. */
  readonly grants: readonly Grant[];
  readonly purpose: string | undefined;
  readonly status: "active" | "expired" | "revoked";
  readonly since: number;
  readonly until: number | undefined;
  readonly endedAt: number | undefined;
  readonly reads: readonly ReadableSource[];
  /** When it last read: a time, never, or longer ago than is looked. */
  readonly lastRead: number | "never" | "not lately";
}

interface Shown {
  readonly proof: string;
  readonly now: number;
}

export interface AgentsView extends Shown {
  readonly agents: readonly Agent[];
  readonly mcpUrl: string;
  /** Of an agent that was just ended. */
  readonly ended: string | undefined;
}

const around = ({ proof }: Shown) => ({ owner: { room: "/agents", proof } }) as const;

export function agentsPage(view: AgentsView): Html {
  const active = view.agents.filter(({ status }) => status === "active");
  const ended = view.agents.filter(({ status }) => status !== "active");
  return page(
    "Agents",
    html`<h1>Who can read your data</h1>
${view.ended === undefined ? "" : html`<p class="done" role="status"><strong>${view.ended}</strong> can no longer read anything. If it asks again, you decide again.</p>`}
${
  active.length === 0
    ? html`<p>Nobody, at the moment. Your vault answers only to programs that you let in.</p>`
    : html`<ul class="rows">${active.map((agent) => row(agent, view))}</ul>`
}
<section class="card"><h2>Let an agent in</h2>
<p>Give it this address. It sends you to a page here, where you tick what it may read.</p>
<p><code class="copy">${view.mcpUrl}</code></p></section>
${
  ended.length === 0
    ? ""
    : html`<details><summary>Ended (${ended.length})</summary><ul class="rows quiet">${ended.map((agent) => row(agent, view))}</ul></details>`
}`,
    around(view),
  );
}

const row = (agent: Agent, shown: Shown): Html => html`<li>${letterMark(agent.client)}
<div class="about"><h2><a href="/agents/${agent.id}">${agent.client}</a></h2>
<p>${readsSummary(agent.reads)}</p>
<p class="soft">${timeLine(agent, shown.now)}</p></div>
${agent.status === "active" ? revokeForm(agent, shown) : ""}</li>`;

/** Its accounts, where they say more than its own name. */
const besideName = ({ label, accounts }: ReadableSource): Html | string =>
  accounts.length === 1 && accounts[0] === label ? "" : html` <span class="soft">${accounts.join(", ")}</span>`;

const mostSources = 3;

export function readsSummary(sources: readonly ReadableSource[]): Html {
  const lines = sources
    .slice(0, mostSources)
    .map(
      (source) =>
        html`<span class="source"><strong>${source.label}</strong>${besideName(source)}: ${sourceWords(source)}</span>`,
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
      : html`${status}${endedAt === undefined ? "" : html` ${ago(endedAt, now)}`}`;
  return html`Since ${onDay(since)}, ${end} · ${lastReadText(agent, now)}`;
}

function lastReadText({ lastRead }: Agent, now: number): Html {
  if (lastRead === "never") return html`has not read anything yet`;
  return lastRead === "not lately" ? html`has not read anything lately` : html`last read ${ago(lastRead, now)}`;
}

const revokeForm = ({ id, client }: Agent, { proof }: Shown): Html =>
  html`<form method="post" action="/agents/${id}/revoke">${proofField(proof)}<button class="danger">Revoke<span class="hidden"> ${client}</span></button></form>`;

export interface AgentView extends Shown {
  readonly agent: Agent;
  readonly ids: readonly { readonly label: string; readonly value: string }[];
  readonly recent: readonly AccessDocument[];
}

export function agentPage(view: AgentView): Html {
  const { agent, now } = view;
  return page(
    agent.client,
    html`<p class="back"><a href="/agents">Agents</a></p>
<div class="title">${letterMark(agent.client)}<h1>${agent.client}</h1></div>
${agent.purpose === undefined ? "" : html`<p>It says it is for: <q>${agent.purpose}</q></p>`}
<p class="soft">${timeLine(agent, now)}</p>
<h2>${agent.status === "active" ? "What it can read" : "What it could read"}</h2>
${agent.reads.map(sourceSection)}
<p class="soft">Nothing else in your vault.</p>
${agent.status === "active" ? html`<div class="buttons"><a class="button" href="${wornPath(agent.id)}/explore">See it as this agent sees it</a>${revokeForm(agent, view)}</div><p class="soft">Its next call is refused. What it has read already, it keeps.</p>` : ""}
<h2>What it read lately</h2>
${view.recent.length === 0 ? html`<p class="soft">Nothing.</p>` : readsTable(view.recent, now)}
<details><summary>For programs</summary><dl>${view.ids.map(({ label, value }) => html`<dt>${label}</dt><dd><code>${value}</code></dd>`)}</dl></details>`,
    around(view),
  );
}

const sourceSection = (source: ReadableSource): Html => html`<section class="card">
<h3>${source.label}${besideName(source)}</h3>
${source.streams.map(
  (stream) => html`${source.streams.length === 1 ? "" : html`<h4>${stream.label}</h4>`}<dl>
${stream.parts.map(({ label: part, fields }) => html`<div><dt>${part}</dt><dd>${fields.join(", ")}</dd></div>`)}
${limits(stream).map((text) => html`<div><dt>Only</dt><dd>${text}</dd></div>`)}</dl>`,
)}</section>`;

const limits = ({ since, until, records }: ReadableSource["streams"][number]): string[] => [
  ...(since === undefined ? [] : [`since ${since}`]),
  ...(until === undefined ? [] : [`before ${until}`]),
  ...(records === undefined ? [] : [`${records === 1 ? "one record" : `${records} records`} that it named`]),
];

export const operationWords: Readonly<Record<string, string>> = {
  schema: "looked at what there is",
  connectors: "looked at what there is",
  streams: "looked at what there is",
  stream: "looked at what there is",
  queryRecords: "listed",
  fetch: "opened one",
  aggregate: "counted",
  search: "searched",
  readField: "read on in one",
  readBlob: "opened a file",
  export: "exported",
};

const readsTable = (reads: readonly AccessDocument[], now: number): Html => html`<div class="scroll"><table>
<thead><tr><th scope="col">When</th><th scope="col">What</th><th scope="col">Of</th><th scope="col" class="number">Records</th></tr></thead>
<tbody>${reads.map(
  ({ at, operation, stream, records }) =>
    html`<tr><td>${ago(instantOf(at) ?? now, now)}</td><td>${operationWords[operation] ?? operation}</td><td>${stream ?? ""}</td><td class="number">${records.toLocaleString("en")}</td></tr>`,
)}</tbody></table></div>`;
