import type { Context } from "hono";
import { deleteCookie } from "hono/cookie";
import type { Guard } from "../frame/guard.ts";
import { type ConsoleParts, isHttps } from "../frame/session.ts";
import { describeBrowser } from "./describe-browser.ts";

const settingsPath = "/settings";

export function addBrowserRoutes({ page, action }: Guard, { getOrigin, signIn }: ConsoleParts): void {
  /** Removes what the browser keeps for this site, and answers where to go. */
  const clearBrowser = (c: Context): string => {
    const secure = isHttps(getOrigin(c.req.raw));
    deleteCookie(c, signIn.cookieName, { path: "/", httpOnly: true, sameSite: "Lax", secure });
    // Not "cookies", which would also delete those of other programs on this host and of the whole domain. Browsers ignore this on plain http, except on localhost.
    c.header("clear-site-data", '"cache", "storage"');
    c.header("cache-control", "no-store");
    return "/sign-in";
  };
  // The list's former address.
  page("/browsers", async (c) => c.redirect(settingsPath, 303));
  action("/browsers/:id/sign-out", async (c, session) => {
    const id = c.req.param("id") ?? "";
    await signIn.signOut(session, id);
    return id === session.sessionId ? clearBrowser(c) : settingsPath;
  });
  action("/browsers/sign-out-others", async (_, here) => {
    const others = (await signIn.listSessions(here)).filter(({ sessionId }) => sessionId !== here.sessionId);
    for (const { sessionId } of others) await signIn.signOut(here, sessionId);
    return settingsPath;
  });
  action("/sign-out", async (c, session) => {
    await signIn.signOut(session, session.sessionId);
    return clearBrowser(c);
  });

  action("/passkeys", async (c, session) => {
    const origin = getOrigin(c.req.raw);
    const name = describeBrowser(c.req.header("user-agent") ?? "");
    await signIn.passkeys.add(session, origin, (await c.req.formData()).get("answer"), name);
    return settingsPath;
  });
  action("/passkeys/:id/remove", async (c, session) => {
    await signIn.passkeys.remove(session, c.req.param("id") ?? "");
    return settingsPath;
  });
}
