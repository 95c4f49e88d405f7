import { pageHeaders } from "../frame/frame.ts";
import type { Guard } from "../frame/guard.ts";
import type { ConsoleParts } from "../frame/session.ts";
import { agentNamed, agentsOf } from "./agents.ts";
import { agentPage, agentsPage } from "./agents-page.ts";

/** On an agent's page. */
const recentReads = 20;

/** Who may read what. */
export function agentRoutes({ owned, acting }: Guard, { now, originOf, ownerOf }: ConsoleParts): void {
  owned("/agents", async (c, session, proof) => {
    const ended = c.req.query("ended");
    const agents = await agentsOf(ownerOf(session));
    const mcpUrl = `${originOf(c.req.raw)}/mcp`;
    const name = agents.find(({ id, status }) => id === ended && status === "revoked")?.client;
    return c.html(agentsPage({ agents, mcpUrl, proof, now: now(), ended: name }), 200, pageHeaders());
  });
  owned("/agents/:id", async (c, session, proof) => {
    const id = c.req.param("id") ?? "";
    const owner = ownerOf(session);
    const { agent, grants } = await agentNamed(owner, id);
    const ids = [
      { label: "Id", value: agent.id },
      { label: "Client", value: grants[0]?.client.client_id ?? "" },
      ...grants.map(({ grant_id, connector_key }) => ({ label: `Grant of ${connector_key}`, value: grant_id })),
    ];
    const recent = (await owner.log.read({ grant: id, limit: recentReads })).reverse();
    return c.html(agentPage({ agent, ids, recent, proof, now: now() }), 200, pageHeaders());
  });
  acting("/agents/:id/revoke", async (c, session) => {
    const id = c.req.param("id") ?? "";
    await ownerOf(session).grants.revoke(id);
    return `/agents?ended=${encodeURIComponent(id)}`;
  });
}
