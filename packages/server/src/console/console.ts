import { type Context, Hono } from "hono";
import { addingOptions, addPasskey, canHavePasskeys } from "../auth/passkeys.ts";
import { signedIn, signOut } from "../auth/sessions.ts";
import { passkeys, removePasskey } from "../store/access/passkeys.ts";
import { agentNamed, agentsOf, recentlyRead, revokeAgent } from "./agents.ts";
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

/** Pages for the owner: who may read, and where they are signed in. */
export function consoleRoutes(parts: ConsoleParts): Hono {
  const { store, now, originOf } = parts;
  const app = new Hono();
  app.onError(refusalPage);
  signInRoutes(app, parts);

  const shown = (c: Context, body: Html) => c.html(body, 200, pageHeaders());
  const { owned, acting } = guard(app, parts);

  homeRoutes({ owned, acting }, parts);
  exploreRoutes({ owned, acting }, parts);
  owned("/agents", async (c, session, proof) => {
    const ended = c.req.query("ended");
    const agents = await agentsOf(parts, session);
    const mcpUrl = `${originOf(c.req.raw)}/mcp`;
    const name = agents.find(({ id, status }) => id === ended && status === "revoked")?.client;
    return shown(c, agentsPage({ agents, mcpUrl, proof, now: now(), ended: name }));
  });
  owned("/agents/:id", async (c, session, proof) => {
    const { agent, grants } = await agentNamed(parts, session, c.req.param("id") ?? "");
    const ids = [
      { label: "Id", value: agent.id },
      { label: "Client", value: grants[0]?.client.client_id ?? "" },
      ...grants.map(({ grant_id, connector_key }) => ({ label: `Grant of ${connector_key}`, value: grant_id })),
    ];
    const recent = await recentlyRead(parts, session, grants);
    return shown(c, agentPage({ agent, ids, recent, proof, now: now() }));
  });
  acting("/agents/:id/revoke", async (c, session) => {
    const id = c.req.param("id") ?? "";
    await revokeAgent(parts, session, id);
    return `/agents?ended=${encodeURIComponent(id)}`;
  });

  owned("/browsers", async (c, session, proof) => {
    const sessions = await signedIn(store, session.ownerNo, now());
    const origin = originOf(c.req.raw);
    const held = await store.engine.read((on) => passkeys(on, session.ownerNo));
    const adding = canHavePasskeys(origin) ? await addingOptions(store, session, origin, now()) : undefined;
    return shown(c, browsersPage({ here: session, sessions, passkeys: held, adding, proof, now: now() }));
  });
  acting("/browsers/:id/sign-out", async (c, { ownerNo, sessionId }) => {
    const id = c.req.param("id") ?? "";
    await signOut(store, { ownerNo, sessionId: id }, now());
    return id === sessionId ? "/sign-in" : "/browsers";
  });
  acting("/browsers/sign-out-others", async (_, { ownerNo, sessionId }) => {
    const others = (await signedIn(store, ownerNo, now())).filter((session) => session.sessionId !== sessionId);
    for (const session of others) await signOut(store, session, now());
    return "/browsers";
  });
  acting("/sign-out", async (_, session) => {
    await signOut(store, session, now());
    return "/sign-in";
  });

  acting("/passkeys", async (c, session) => {
    const origin = originOf(c.req.raw);
    const name = browserWords(c.req.header("user-agent") ?? "");
    await addPasskey(store, session, origin, (await c.req.formData()).get("answer"), name, now());
    return "/browsers";
  });
  acting("/passkeys/:id/remove", async (c, { ownerNo }) => {
    const id = c.req.param("id") ?? "";
    await store.engine.write((on) => removePasskey(on, ownerNo, id));
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
