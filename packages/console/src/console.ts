import { type Context, Hono } from "hono";
import { agentNamed, agentsOf } from "./agents.ts";
import { agentPage, agentsPage } from "./agents-page.ts";
import { browsersPage, browserWords } from "./browsers-page.ts";
import { consoleStyle } from "./console-style.ts";
import { exploreRoutes } from "./explore.ts";
import {
  consentScriptPath,
  type Html,
  iconPath,
  pageHeaders,
  passkeyScriptPath,
  readOnScriptPath,
  signInScriptPath,
  stylePath,
} from "./frame.ts";
import { guard } from "./guard.ts";
import { homeRoutes } from "./home.ts";
import { refusalPage } from "./refusal.ts";
import { consentScript, passkeyScript, readOnScript, signInScript } from "./scripts.ts";
import type { ConsoleParts } from "./session.ts";
import { signInRoutes } from "./sign-in.ts";
import { icon, style } from "./style.ts";

/** On an agent's page. */
const recentReads = 20;

/** Pages for the owner: who may read, and where they are signed in. */
export function consoleRoutes(parts: ConsoleParts): Hono {
  const { now, originOf, door, ownerOf } = parts;
  const app = new Hono();
  app.onError(refusalPage);
  signInRoutes(app, parts);

  const shown = (c: Context, body: Html) => c.html(body, 200, pageHeaders());
  const { owned, acting } = guard(app, parts);

  homeRoutes({ owned, acting }, parts);
  exploreRoutes({ owned, acting }, parts);
  owned("/agents", async (c, session, proof) => {
    const ended = c.req.query("ended");
    const agents = await agentsOf(ownerOf(session));
    const mcpUrl = `${originOf(c.req.raw)}/mcp`;
    const name = agents.find(({ id, status }) => id === ended && status === "revoked")?.client;
    return shown(c, agentsPage({ agents, mcpUrl, proof, now: now(), ended: name }));
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
    return shown(c, agentPage({ agent, ids, recent, proof, now: now() }));
  });
  acting("/agents/:id/revoke", async (c, session) => {
    const id = c.req.param("id") ?? "";
    await ownerOf(session).grants.revoke(id);
    return `/agents?ended=${encodeURIComponent(id)}`;
  });

  owned("/browsers", async (c, session, proof) => {
    const sessions = await door.signedIn(session);
    const origin = originOf(c.req.raw);
    const held = await door.passkeys.list(session);
    const adding = door.passkeys.possibleAt(origin) ? await door.passkeys.askForNew(session, origin) : undefined;
    return shown(c, browsersPage({ here: session, sessions, passkeys: held, adding, proof, now: now() }));
  });
  acting("/browsers/:id/sign-out", async (c, session) => {
    const id = c.req.param("id") ?? "";
    await door.signOut(session, id);
    return id === session.sessionId ? "/sign-in" : "/browsers";
  });
  acting("/browsers/sign-out-others", async (_, here) => {
    const others = (await door.signedIn(here)).filter(({ sessionId }) => sessionId !== here.sessionId);
    for (const { sessionId } of others) await door.signOut(here, sessionId);
    return "/browsers";
  });
  acting("/sign-out", async (_, session) => {
    await door.signOut(session, session.sessionId);
    return "/sign-in";
  });

  acting("/passkeys", async (c, session) => {
    const origin = originOf(c.req.raw);
    const name = browserWords(c.req.header("user-agent") ?? "");
    await door.passkeys.add(session, origin, (await c.req.formData()).get("answer"), name);
    return "/browsers";
  });
  acting("/passkeys/:id/remove", async (c, session) => {
    await door.passkeys.remove(session, c.req.param("id") ?? "");
    return "/browsers";
  });

  const asset = (type: string, text: string) => () =>
    new Response(text, {
      headers: { "content-type": `${type}; charset=utf-8`, "cache-control": "public, max-age=3600" },
    });
  app.get(iconPath, asset("image/svg+xml", icon));
  app.get(stylePath, asset("text/css", style + consoleStyle));
  app.get(signInScriptPath, asset("text/javascript", signInScript));
  app.get(passkeyScriptPath, asset("text/javascript", passkeyScript));
  app.get(consentScriptPath, asset("text/javascript", consentScript));
  app.get(readOnScriptPath, asset("text/javascript", readOnScript));
  return app;
}
