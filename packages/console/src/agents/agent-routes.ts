import { loadAgent } from "@pdpp/consent/agents";
import { PdppError } from "@pdpp/contract/errors";
import type { OwnerApi } from "@pdpp/contract/owner";
import { buildUrl } from "../frame/addresses.ts";
import { buildPageHeaders } from "../frame/frame.tsx";
import type { Guard } from "../frame/guard.ts";
import { loadNames } from "../frame/names.ts";
import { countByDay, daysShown } from "../frame/reading-days.ts";
import type { ConsoleParts } from "../frame/session.ts";
import { renderAgentPage } from "./agent-page.tsx";
import { renderAgentsPage } from "./agents-page.tsx";
import { listConnectTabs } from "./connect-guides.ts";
import { listExcluded } from "./exclusions.ts";
import { describeRemovedSource, loadAgentsView, tooLate } from "./load-agents.tsx";
import { addNarrowRoutes } from "./narrow-routes.ts";
import { addNewTokenRoutes } from "./new-token-routes.ts";
import { renderRecordsRead } from "./records-read.tsx";
import { addTestRoutes } from "./try-routes.ts";

const maxRecentReads = 20;

export function addAgentRoutes(guard: Guard, parts: ConsoleParts): void {
  const { page, action } = guard;
  const { now, getOwner } = parts;
  page("/agents", async (c, session, viewer) => {
    const { pendingRequests, getOrigin } = parts;
    const pending = await pendingRequests.list(session);
    const loaded = await loadAgentsView(getOwner(session), c.req.query(), pending, now());
    const tabs = listConnectTabs(getOrigin(c.req.raw));
    const view = { ...loaded, connect: { ...loaded.connect, tabs }, pending, viewer, now: now() };
    // Declining redirects to the agent that asked.
    const targets = [...new Set(pending.flatMap(({ formTarget }) => formTarget ?? []))].join(" ");
    const headers = buildPageHeaders(targets === "" ? undefined : targets, "is live");
    return c.html(renderAgentsPage(view), 200, headers);
  });
  // Before /agents/:id, which would match these paths too.
  addNewTokenRoutes(guard, parts);
  page("/agents/:id", async (c, session, viewer) => {
    const asked = c.req.param("id") ?? "";
    const owner = getOwner(session);
    const { id, agent, grants, searchedFrom } = await loadAgent(owner, asked);
    if (id !== asked) return c.redirect(`/agents/${id}`, 303);
    const ids = [
      { label: "ID", value: agent.id },
      { label: "Client", value: agent.clientId },
      ...grants.map(({ grant_id, connector_key, status, replaced_by }) => ({
        label: `Grant for ${connector_key}${status === "active" ? "" : replaced_by === undefined ? `, ${status}` : ", replaced"}`,
        value: grant_id,
      })),
    ];
    const at = now();
    const { entries: recent } = await owner.log.page({ grant: id, kind: "read", limit: maxRecentReads });
    const from = at - daysShown * 86_400_000;
    const days = countByDay(await owner.log.countByDay(from, id), at);
    const countedFrom = searchedFrom !== null && searchedFrom > from ? searchedFrom : undefined;
    const names = await loadNames(owner);
    const leftOut = listExcluded(agent.grants, await owner.catalog());
    const { narrowed, part, undo } = c.req.query();
    const outcome = { done: describeChange(narrowed, undo), alert: undo === "late" ? tooLate : undefined };
    const revoked = describeRemovedSource(id, grants, part, names);
    const records = await renderRecordsRead(owner, id, c.req.query("before"), at);
    const read = { days, countedFrom, recent, records, names };
    return c.html(
      renderAgentPage({ agent, leftOut, ids, ...read, ...outcome, revoked, viewer, now: at }),
      200,
      buildPageHeaders(),
    );
  });
  addNarrowRoutes(guard, parts);
  addTestRoutes(guard, parts);
  action("/agents/:id/revoke", async (c, session) => {
    const id = c.req.param("id") ?? "";
    await getOwner(session).grants.revoke(id);
    return buildUrl("/agents", { ended: id });
  });
  action("/agents/:id/undo", async (c, session) => {
    const id = c.req.param("id") ?? "";
    return buildUrl("/agents", { [(await undoRevocation(getOwner(session), id)) ? "restored" : "late"]: id });
  });
  action("/agents/:id/parts/:grant/revoke", async (c, session) => {
    const { id, grants } = await loadAgent(getOwner(session), c.req.param("id") ?? "");
    const part = grants.find(({ grant_id }) => grant_id === c.req.param("grant"));
    if (part === undefined) return `/agents/${id}`;
    await getOwner(session).grants.revoke(part.grant_id);
    return buildUrl(`/agents/${id}`, { part: part.grant_id });
  });
  action("/agents/:id/parts/:grant/undo", async (c, session) => {
    const isRestored = await undoRevocation(getOwner(session), c.req.param("grant") ?? "");
    return buildUrl(`/agents/${c.req.param("id") ?? ""}`, { undo: isRestored ? "done" : "late" });
  });
}

/** Whether there was still time. */
async function undoRevocation(owner: OwnerApi, id: string): Promise<boolean> {
  try {
    await owner.grants.undoRevoke(id);
    return true;
  } catch (error) {
    if (error instanceof PdppError && error.code === "permission_error") return false;
    throw error;
  }
}

function describeChange(narrowed: string | undefined, undo: string | undefined): string | undefined {
  if (narrowed !== undefined) return "Changes saved. They apply from its next request.";
  return undo === "done" ? "It can read this source again." : undefined;
}
