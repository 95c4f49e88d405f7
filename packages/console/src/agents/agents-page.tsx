import type { SourceAccess } from "@pdpp/consent/access";
import type { Agent } from "@pdpp/consent/agents";
import { type Html, renderCsrfField, renderLetterMark, renderPage } from "../frame/frame.tsx";
import { formatSourceAccess } from "../frame/render/sentences.ts";
import { renderAgo, renderDay } from "../frame/render/times.tsx";
import type { Viewer } from "../frame/viewer.ts";
import { renderConnectSection, type SetupGuide } from "./setup-guides.tsx";

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
    <>
      <h1>Connected agents</h1>
      {view.ended !== undefined && (
        <p class="done" role="status">
          <strong>{view.ended}</strong> no longer has access. If it asks again, you'll be asked to approve it.
        </p>
      )}
      {active.length === 0 ? (
        <p>No agents are connected. Only agents you approve can read your vault.</p>
      ) : (
        <ul class="rows">{active.map((agent) => renderAgent(agent, view))}</ul>
      )}
      {renderConnectSection(view.ways, view.mcpUrl)}
      {ended.length > 0 && (
        <details>
          <summary>Past access ({ended.length})</summary>
          <ul class="rows quiet">{ended.map((agent) => renderAgent(agent, view))}</ul>
        </details>
      )}
    </>,
    buildPageOptions(view),
  );
}

const renderAgent = (agent: Agent, shown: PageContext): Html => (
  <li>
    {renderLetterMark(agent.client)}
    <div class="about">
      <h2>
        <bdi>
          <a href={`/agents/${agent.id}`}>{agent.client}</a>
        </bdi>
      </h2>
      <p>{renderAccessSummary(agent.access)}</p>
      <p class="soft">{renderTimes(agent, shown.now)}</p>
    </div>
    {agent.status === "active" && renderRevokeForm(agent, shown)}
  </li>
);

/** Left out when the only account has the source's name. */
export const renderAccounts = ({ label, accounts }: SourceAccess): Html | string =>
  accounts.length === 1 && accounts[0] === label ? (
    ""
  ) : (
    <>
      {" "}
      <span class="soft">{accounts.join(", ")}</span>
    </>
  );

const maxSources = 3;

export function renderAccessSummary(sources: readonly SourceAccess[]): Html {
  const lines = sources.slice(0, maxSources).map((source) => (
    <span class="source">
      <strong>{source.label}</strong>
      {renderAccounts(source)}: {formatSourceAccess(source)}
    </span>
  ));
  const rest = sources.length - lines.length;
  return (
    <>
      {lines}
      {rest > 0 && <span class="source soft">and {rest} more</span>}
    </>
  );
}

export function renderTimes(agent: Agent, now: number): Html {
  const { status, since, until, endedAt } = agent;
  const end =
    status === "active" ? (
      until === undefined ? (
        <>until you revoke it</>
      ) : (
        <>until {renderDay(until)}</>
      )
    ) : (
      <>
        {status} {renderAgo(endedAt, now)}
      </>
    );
  return (
    <>
      Since {renderDay(since)}, {end} · {renderLastUsed(agent, now)}
    </>
  );
}

function renderLastUsed({ lastRead }: Agent, now: number): Html {
  if (lastRead === "never") return <>never used</>;
  return lastRead === "not lately" ? <>not used recently</> : <>last used {renderAgo(lastRead, now)}</>;
}

export const renderRevokeForm = ({ id, client }: Agent, { viewer }: PageContext): Html => (
  <form method="post" action={`/agents/${id}/revoke`}>
    {renderCsrfField(viewer)}
    <button class="danger">
      Revoke<span class="hidden"> {client}</span>
    </button>
  </form>
);

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
