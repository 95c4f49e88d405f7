import type { Agent } from "@pdpp/consent/agents";
import { type Html, renderPage } from "../frame/frame.tsx";
import { renderAlert, renderDone } from "../frame/render/parts.tsx";
import type { PendingRequest } from "../frame/session.ts";
import { type PageContext, type ReadToday, renderAgentRow, renderEndedRow, renderPendingRow } from "./agent-rows.tsx";
import { type ConnectView, renderConnectCard } from "./connect-card.tsx";
import { renderCopyStatus } from "./copy-line.tsx";
import { type Revoked, renderUndoToast } from "./undo-toast.tsx";

/** All agents with their access, and how to connect another. */

export interface AgentsView extends PageContext {
  readonly agents: readonly Agent[];
  readonly pending: readonly PendingRequest[];
  readonly connect: Omit<ConnectView, "isFolded" | "now">;
  /** Whether the owner has just chosen a tab or come back to check, so that connecting stays open. */
  readonly isConnecting: boolean;
  readonly readToday: ReadToday;
  readonly revoked: Revoked | undefined;
  readonly done: Html | undefined;
  readonly alert: string | undefined;
}

export const buildPageOptions = ({ viewer }: PageContext) => ({ owner: { room: "/agents", viewer } }) as const;

/** With this many agents, connecting another is one button. */
const manyAgents = 3;

export function renderAgentsPage(view: AgentsView): Html {
  const { pending, readToday, connect, now } = view;
  const active = view.agents.filter(({ status }) => status === "active");
  const ended = view.agents.filter(({ status }) => status !== "active");
  const isFolded = active.length >= manyAgents && !view.isConnecting;
  const card = renderConnectCard({ ...connect, isFolded, now });
  const list = (
    <section id="connected" aria-labelledby="connected-title">
      <h2 id="connected-title">
        Connected agents <small class="soft">{formatCounts(active.length, pending.length)}</small>
      </h2>
      {active.length + pending.length === 0 ? (
        <p>No agents are connected. Only agents you approve can read your vault.</p>
      ) : (
        <ul class="rows agents">
          {pending.map((request) => renderPendingRow(request, view))}
          {active.map((agent) => renderAgentRow(agent, view, readToday))}
        </ul>
      )}
    </section>
  );
  return renderPage(
    "Agents",
    <>
      <h1>Agents</h1>
      <p class="soft lead">
        Programs that can read parts of your vault. Each one shows you what it can read, and what it has read.
      </p>
      {view.revoked !== undefined && renderUndoToast(view.revoked, view)}
      {renderDone(view.done)}
      {renderAlert(view.alert)}
      {renderCopyStatus()}
      {card}
      {list}
      {ended.length > 0 && (
        <details>
          <summary>{ended.length} ended or revoked</summary>
          <ul class="rows quiet">{ended.map((agent) => renderEndedRow(agent, view))}</ul>
        </details>
      )}
    </>,
    { ...buildPageOptions(view), isWide: true, scripts: ["/assets/agents.js"] },
  );
}

const formatCounts = (active: number, asking: number): string =>
  asking === 0 ? `${active}` : `${active}, and ${asking === 1 ? "one" : asking} asking`;
