import { listAgents, loadAgent } from "@pdpp/server/consent/agents";
import { pageHeaders } from "../frame/frame.ts";
import type { Guard } from "../frame/guard.ts";
import { namesOf } from "../frame/names.ts";
import { daysShown, readingDays } from "../frame/reading-days.ts";
import type { ConsoleParts } from "../frame/session.ts";
import { agentPage } from "./agent-page.ts";
import { agentsPage } from "./agents-page.ts";
import { leftOutOf } from "./left-out.ts";
import { waysIn } from "./let-in.ts";
import { narrowRoutes } from "./narrow-routes.ts";
import { newAgentRoutes } from "./new-agent-routes.ts";
import { recordsSection } from "./records-read.ts";
import { tryRoutes } from "./try-routes.ts";

/** On an agent's page. */
const recentReads = 20;

/** Who may read what. */
export function agentRoutes(guard: Guard, parts: ConsoleParts): void {
  const { owned, acting } = guard;
  const { now, originOf, ownerOf } = parts;
  owned("/agents", async (c, session, proof) => {
    const ended = c.req.query("ended");
    const agents = await listAgents(ownerOf(session));
    const origin = originOf(c.req.raw);
    const name = agents.find(({ id, status }) => id === ended && status === "revoked")?.client;
    const view = { agents, mcpUrl: `${origin}/mcp`, ways: waysIn(origin), proof, now: now(), ended: name };
    return c.html(agentsPage(view), 200, pageHeaders());
  });
  // Before the pages of agents, whose ids they could be.
  newAgentRoutes(guard, parts);
  owned("/agents/:id", async (c, session, proof) => {
    const asked = c.req.param("id") ?? "";
    const owner = ownerOf(session);
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
    const { entries: recent } = await owner.log.page({ grant: id, kind: "read", limit: recentReads });
    const from = at - daysShown * 86_400_000;
    const days = readingDays(await owner.log.byDay(from, id), at);
    const countedFrom = searchedFrom !== null && searchedFrom > from ? searchedFrom : undefined;
    const names = await namesOf(owner);
    const leftOut = leftOutOf(agent.grants, await owner.catalog());
    const done = doneWords(c.req.query("narrowed"), c.req.query("part"));
    const records = await recordsSection(owner, id, c.req.query("before"), at);
    const read = { days, countedFrom, recent, records, names };
    return c.html(agentPage({ agent, leftOut, ids, ...read, done, proof, now: at }), 200, pageHeaders());
  });
  narrowRoutes(guard, parts);
  tryRoutes(guard, parts);
  acting("/agents/:id/revoke", async (c, session) => {
    const id = c.req.param("id") ?? "";
    await ownerOf(session).grants.revoke(id);
    return `/agents?ended=${encodeURIComponent(id)}`;
  });
  acting("/agents/:id/parts/:grant/revoke", async (c, session) => {
    const { id, grants } = await loadAgent(ownerOf(session), c.req.param("id") ?? "");
    const part = grants.find(({ grant_id }) => grant_id === c.req.param("grant"));
    if (part === undefined) return `/agents/${id}`;
    await ownerOf(session).grants.revoke(part.grant_id);
    return `/agents/${id}?part=ended`;
  });
}

function doneWords(narrowed: string | undefined, part: string | undefined): string | undefined {
  if (narrowed !== undefined) return "Changes saved. They apply from its next request.";
  return part === undefined ? undefined : "Source removed. Its remaining access is below.";
}
