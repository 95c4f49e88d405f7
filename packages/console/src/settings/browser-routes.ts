import type { Guard } from "../frame/guard.ts";
import type { ConsoleParts } from "../frame/session.ts";
import { describeBrowser } from "./describe-browser.ts";

const settingsPath = "/settings";

export function addBrowserRoutes({ page, action }: Guard, { getOrigin, signIn }: ConsoleParts): void {
  // The list's former address.
  page("/browsers", async (c) => c.redirect(settingsPath, 303));
  action("/browsers/:id/sign-out", async (c, session) => {
    const id = c.req.param("id") ?? "";
    await signIn.signOut(session, id);
    return id === session.sessionId ? "/sign-in" : settingsPath;
  });
  action("/browsers/sign-out-others", async (_, here) => {
    const others = (await signIn.listSessions(here)).filter(({ sessionId }) => sessionId !== here.sessionId);
    for (const { sessionId } of others) await signIn.signOut(here, sessionId);
    return settingsPath;
  });
  action("/sign-out", async (_, session) => {
    await signIn.signOut(session, session.sessionId);
    return "/sign-in";
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
