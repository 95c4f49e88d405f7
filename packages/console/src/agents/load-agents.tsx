import { type Agent, listAgents } from "@pdpp/consent/agents";
import { parseInstant } from "@pdpp/contract/instant";
import type { GrantDocument, OwnerApi } from "@pdpp/contract/owner";
import { isolateLabel } from "@pdpp/evidence/text/label";
import type { Names } from "../frame/names.ts";
import { getStartOfDay } from "../frame/reading-days.ts";
import { renderText } from "../frame/render/values.tsx";
import type { PendingRequest } from "../frame/session.ts";
import type { ReadToday } from "./agent-rows.tsx";
import type { AgentsView } from "./agents-page.tsx";
import type { Progress } from "./connect-card.tsx";
import type { Revoked } from "./undo-toast.tsx";

/** What the Agents page shows, apart from the tabs. The address says what the owner was doing. */

type LoadedView = Pick<AgentsView, "agents" | "isConnecting" | "readToday" | "revoked" | "done" | "alert"> & {
  readonly connect: Pick<AgentsView["connect"], "selected" | "progress">;
};

export async function loadAgentsView(
  owner: OwnerApi,
  query: Readonly<Record<string, string | undefined>>,
  pending: readonly PendingRequest[],
  now: number,
): Promise<LoadedView> {
  const agents = await listAgents(owner);
  const find = (id: string | undefined, status: Agent["status"]): Agent | undefined =>
    agents.find((agent) => agent.id === id && agent.status === status);
  const revoked = find(query.ended, "revoked");
  const restored = find(query.restored, "active");
  const { time_zone } = await owner.self();
  return {
    agents,
    isConnecting: query.agent !== undefined,
    readToday: await countReadToday(owner, agents, getStartOfDay(now, time_zone)),
    connect: { selected: query.agent ?? "", progress: await loadProgress(owner, agents, pending, query.since, now) },
    revoked: revoked && {
      sentence: (
        <>
          <strong>{renderText(revoked.client)}</strong> can't read anything any more.
        </>
      ),
      at: revoked.endedAt,
      undoPath: `/agents/${revoked.id}/undo`,
    },
    done: restored && (
      <>
        <strong>{renderText(restored.client)}</strong> has the same access again.
      </>
    ),
    alert: find(query.late, "revoked") && tooLate,
  };
}

export const tooLate = "Too late to undo. To get access again, the agent has to ask for it.";

export function describeRemovedSource(
  agentId: string,
  grants: readonly GrantDocument[],
  grantId: string | undefined,
  names: Names,
): Revoked | undefined {
  const removed = grants.find(({ grant_id, status }) => grant_id === grantId && status === "revoked");
  if (removed === undefined) return undefined;
  const sources = removed.streams.flatMap(({ connection_ids }) => connection_ids ?? []);
  const labels = [...new Set(sources)].map((source) => names.source(source));
  return {
    sentence: (
      <>
        It can't read <strong>{renderText(labels.join(", ") || removed.connector_key)}</strong> any more.
      </>
    ),
    at: parseInstant(removed.revoked_at ?? "") ?? 0,
    undoPath: `/agents/${agentId}/parts/${removed.grant_id}/undo`,
  };
}

/** One query for all; a query each for agents that share a name, because the log counts by name. */
async function countReadToday(owner: OwnerApi, agents: readonly Agent[], midnight: number): Promise<ReadToday> {
  const active = agents.filter(({ status }) => status === "active");
  const byClient = new Map<string, number>();
  for (const read of await owner.log.countByDay(midnight)) {
    const client = isolateLabel(read.client);
    byClient.set(client, (byClient.get(client) ?? 0) + read.records);
  }
  const byId = new Map<string, number>();
  for (const { id, client } of active) {
    const isShared = agents.filter((agent) => agent.client === client).length > 1;
    if (!isShared || !byClient.has(client)) byId.set(id, byClient.get(client) ?? 0);
    else
      byId.set(
        id,
        (await owner.log.countByDay(midnight, id)).reduce((sum, { records }) => sum + records, 0),
      );
  }
  return ({ id }) => byId.get(id) ?? 0;
}

/** How long after its consent page was opened a request can be decided. */
const maxSinceMs = 24 * 3_600_000;

async function loadProgress(
  owner: OwnerApi,
  agents: readonly Agent[],
  pending: readonly PendingRequest[],
  asked: string | undefined,
  now: number,
): Promise<Progress> {
  const given = /^\d{1,15}$/.test(asked ?? "") ? Number(asked) : now;
  const since = Math.min(now, Math.max(given, now - maxSinceMs));
  const connected = agents.find((agent) => agent.status === "active" && agent.since >= since);
  const [request] = pending;
  return {
    since,
    asking: connected === undefined ? request?.client : undefined,
    connected: connected && { client: connected.client, id: connected.id, at: connected.since },
    firstRead: connected && (await findFirstRead(owner, connected)),
  };
}

/** The oldest read with records in the latest entries: enough for an agent that was just connected. */
async function findFirstRead(owner: OwnerApi, { id, lastRead }: Agent): Promise<Progress["firstRead"]> {
  if (typeof lastRead !== "number") return undefined;
  const { entries } = await owner.log.page({ grant: id, kind: "read", limit: 100 });
  const first = entries.findLast(({ records }) => records > 0);
  return first && { at: Date.parse(first.at), records: first.records };
}
