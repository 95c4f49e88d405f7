import { listAgents, loadAgent } from "@pdpp/consent/agents";
import { buildPageHeaders } from "../frame/frame.tsx";
import type { Guard } from "../frame/guard.ts";
import { loadNames } from "../frame/names.ts";
import { countByDay, daysShown } from "../frame/reading-days.ts";
import type { ConsoleParts } from "../frame/session.ts";
import { renderAgentPage } from "./agent-page.tsx";
import { renderAgentsPage } from "./agents-page.tsx";
import { listExcluded } from "./exclusions.ts";
import { addNarrowRoutes } from "./narrow-routes.ts";
import { addNewTokenRoutes } from "./new-token-routes.ts";
import { renderRecordsRead } from "./records-read.tsx";
import { listSetupGuides } from "./setup-guides.tsx";
import { addTestRoutes } from "./try-routes.ts";

const maxRecentReads = 20;

export function addAgentRoutes(guard: Guard, parts: ConsoleParts): void {
  const { page, action } = guard;
  const { now, getOrigin, getOwner } = parts;
  page("/agents", async (c, session, viewer) => {
    const ended = c.req.query("ended");
    const agents = await listAgents(getOwner(session));
    const origin = getOrigin(c.req.raw);
    const name = agents.find(({ id, status }) => id === ended && status === "revoked")?.client;
    const view = { agents, mcpUrl: `${origin}/mcp`, ways: listSetupGuides(origin), viewer, now: now(), ended: name };
    return c.html(renderAgentsPage(view), 200, buildPageHeaders());
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
    const done = describeChange(c.req.query("narrowed"), c.req.query("part"));
    const records = await renderRecordsRead(owner, id, c.req.query("before"), at);
    const read = { days, countedFrom, recent, records, names };
    return c.html(renderAgentPage({ agent, leftOut, ids, ...read, done, viewer, now: at }), 200, buildPageHeaders());
  });
  addNarrowRoutes(guard, parts);
  addTestRoutes(guard, parts);
  action("/agents/:id/revoke", async (c, session) => {
    const id = c.req.param("id") ?? "";
    await getOwner(session).grants.revoke(id);
    return `/agents?ended=${encodeURIComponent(id)}`;
  });
  action("/agents/:id/parts/:grant/revoke", async (c, session) => {
    const { id, grants } = await loadAgent(getOwner(session), c.req.param("id") ?? "");
    const part = grants.find(({ grant_id }) => grant_id === c.req.param("grant"));
    if (part === undefined) return `/agents/${id}`;
    await getOwner(session).grants.revoke(part.grant_id);
    return `/agents/${id}?part=ended`;
  });
}

function describeChange(narrowed: string | undefined, part: string | undefined): string | undefined {
  if (narrowed !== undefined) return "Changes saved. They apply from its next request.";
  return part === undefined ? undefined : "Source removed. Its remaining access is below.";
}
