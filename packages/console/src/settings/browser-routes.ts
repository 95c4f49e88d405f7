import { pageHeaders } from "../frame/frame.ts";
import type { Guard } from "../frame/guard.ts";
import type { ConsoleParts } from "../frame/session.ts";
import { browsersPage, browserWords } from "./browsers-page.ts";

/** Where the owner is signed in, and with what. */
export function browserRoutes({ owned, acting }: Guard, { now, originOf, door }: ConsoleParts): void {
  owned("/browsers", async (c, session, proof) => {
    const sessions = await door.signedIn(session);
    const origin = originOf(c.req.raw);
    const held = await door.passkeys.list(session);
    const adding = door.passkeys.possibleAt(origin) ? await door.passkeys.askForNew(session, origin) : undefined;
    return c.html(
      browsersPage({ here: session, sessions, passkeys: held, adding, proof, now: now() }),
      200,
      pageHeaders(),
    );
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
}
