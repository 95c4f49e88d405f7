import { loadAgent } from "@pdpp/server/consent/agents";
import { pageHeaders } from "../frame/frame.ts";
import type { Guard } from "../frame/guard.ts";
import type { ConsoleParts } from "../frame/session.ts";
import { type TriedCall, tryPage } from "./try-page.ts";

/** Longer is nothing that anybody typed. */
const longestQuestion = 2000;

/** The owner calls the tools as an agent would. */
export function tryRoutes({ owned }: Guard, { now, originOf, ownerOf, toolText }: ConsoleParts): void {
  owned("/agents/:id/try", async (c, session, proof) => {
    const owner = ownerOf(session);
    const { id, agent } = await loadAgent(owner, c.req.param("id") ?? "");
    if (agent.status !== "active") return c.redirect(`/agents/${id}`, 303);
    const q = (c.req.query("q") ?? "").trim().slice(0, longestQuestion).toWellFormed();
    const reader = await owner.grants.reader(id);
    const calls: TriedCall[] = [];
    const wanted = [{ tool: "schema", args: {} }, ...(q === "" ? [] : [{ tool: "search", args: { query: q } }])];
    for (const { tool, args } of wanted)
      calls.push({ tool, args, ...(await toolText(reader, tool, { ...args }, originOf(c.req.raw))) });
    return c.html(tryPage({ agent, q, calls, proof, now: now() }), 200, pageHeaders());
  });
}
