import type { Guard } from "../frame/guard.ts";
import type { ConsoleParts } from "../frame/session.ts";
import { browserWords } from "./browsers-page.ts";

const listed = "/settings";

/** Where the owner is signed in, and with what. */
export function browserRoutes({ owned, acting }: Guard, { originOf, door }: ConsoleParts): void {
  // Where the list was before.
  owned("/browsers", async (c) => c.redirect(listed, 303));
  acting("/browsers/:id/sign-out", async (c, session) => {
    const id = c.req.param("id") ?? "";
    await door.signOut(session, id);
    return id === session.sessionId ? "/sign-in" : listed;
  });
  acting("/browsers/sign-out-others", async (_, here) => {
    const others = (await door.signedIn(here)).filter(({ sessionId }) => sessionId !== here.sessionId);
    for (const { sessionId } of others) await door.signOut(here, sessionId);
    return listed;
  });
  acting("/sign-out", async (_, session) => {
    await door.signOut(session, session.sessionId);
    return "/sign-in";
  });

  acting("/passkeys", async (c, session) => {
    const origin = originOf(c.req.raw);
    const name = browserWords(c.req.header("user-agent") ?? "");
    await door.passkeys.add(session, origin, (await c.req.formData()).get("answer"), name);
    return listed;
  });
  acting("/passkeys/:id/remove", async (c, session) => {
    await door.passkeys.remove(session, c.req.param("id") ?? "");
    return listed;
  });
}
