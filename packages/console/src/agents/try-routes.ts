import { loadAgent } from "@pdpp/consent/agents";
import { buildPageHeaders } from "../frame/frame.tsx";
import type { Guard } from "../frame/guard.ts";
import type { ConsoleParts } from "../frame/session.ts";
import { renderTestPage, type ToolCall } from "./try-page.tsx";

const maxQueryChars = 2000;

export function addTestRoutes({ page }: Guard, { now, getOrigin, getOwner, runTool }: ConsoleParts): void {
  page("/agents/:id/try", async (c, session, viewer) => {
    const owner = getOwner(session);
    const { id, agent } = await loadAgent(owner, c.req.param("id") ?? "");
    if (agent.status !== "active") return c.redirect(`/agents/${id}`, 303);
    const q = (c.req.query("q") ?? "").trim().slice(0, maxQueryChars).toWellFormed();
    const reader = await owner.grants.reader(id);
    const calls: ToolCall[] = [];
    const wanted = [{ tool: "schema", args: {} }, ...(q === "" ? [] : [{ tool: "search", args: { query: q } }])];
    for (const { tool, args } of wanted)
      calls.push({ tool, args, ...(await runTool(reader, tool, { ...args }, getOrigin(c.req.raw))) });
    return c.html(renderTestPage({ agent, q, calls, viewer, now: now() }), 200, buildPageHeaders());
  });
}
