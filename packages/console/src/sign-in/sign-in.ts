import type { Context, Hono } from "hono";
import { setCookie } from "hono/cookie";
import { buildPageHeaders } from "../frame/frame.tsx";
import { checkSameOrigin, getCookieName, isHttps, type PageParts } from "../frame/session.ts";
import { renderSignInPage } from "./sign-in-page.tsx";

export function addSignInRoutes(app: Hono, parts: PageParts): void {
  const { signIn, getOrigin } = parts;
  const getPasskeyOptions = (origin: string) =>
    signIn.passkeys.possibleAt(origin) ? signIn.passkeys.askFor(origin) : undefined;
  app.get("/sign-in", (c) => {
    return c.html(
      renderSignInPage(keepOwnPath(c.req.query("next")), getPasskeyOptions(getOrigin(c.req.raw))),
      200,
      buildPageHeaders(),
    );
  });
  app.post("/sign-in", async (c) => {
    const origin = getOrigin(c.req.raw);
    checkSameOrigin(c.req.raw, origin);
    const form = await c.req.formData();
    const code = form.get("code");
    const next = keepOwnPath(form.get("next"));
    const entered = typeof code === "string" ? parseCode(code) : "";
    const found = await signIn.signIn(entered, c.req.header("user-agent") ?? "");
    if (found === undefined) {
      const fault =
        "This sign-in link has expired, was already used, or belongs to another vault. Run pdpp sign-in for a new one.";
      return c.html(renderSignInPage(next, getPasskeyOptions(origin), fault), 403, buildPageHeaders());
    }
    return startSession(c, origin, found.secret, next);
  });
  app.post("/sign-in/passkey", async (c) => {
    const origin = getOrigin(c.req.raw);
    checkSameOrigin(c.req.raw, origin);
    const form = await c.req.formData();
    const next = keepOwnPath(form.get("next"));
    const found = await signIn.passkeys.signIn(origin, form.get("answer"), c.req.header("user-agent") ?? "");
    if (found !== undefined) return startSession(c, origin, found.secret, next);
    const fault = "Passkey not recognized, or the page was open too long. Try again, or use a sign-in link.";
    return c.html(renderSignInPage(next, getPasskeyOptions(origin), fault), 403, buildPageHeaders());
  });
}

function startSession(c: Context, origin: string, secret: string, next: string): Response {
  setCookie(c, getCookieName(origin), secret, { httpOnly: true, sameSite: "Lax", path: "/", secure: isHttps(origin) });
  c.header("cache-control", "no-store");
  return c.redirect(next, 303);
}

/** Paths to return to after signing in. Queries can't contain a slash, so they can't smuggle in another URL. */
const rooms = "as|explore|record|text|stream|activity|agents|browsers|import|settings";
/** A citation (`@pdpp/evidence/citation`), with each part percent-encoded. */
const citation = "record/[\\w.!~*'()%-]+/[\\w.!~*'()%-]+:[\\w.!~*'()%:,-]+(\\?at=[\\w.!~*'()%:@-]+)?";
const ownPaths = new RegExp(
  `^/(((${rooms})(/[\\w-]{1,64}){0,3})?(\\?[\\w.~%&=+*-]{0,2000})?|${citation}|consent/[\\w-]{1,64}|oauth/waiting/[\\w-]{1,64}|device(\\?user_code=[\\w-]{1,20})?)$`,
);

/** Prevents open redirects. */
const keepOwnPath = (next: unknown): string => (typeof next === "string" && ownPaths.test(next) ? next : "/");

/** Accepts a pasted link, too. */
const parseCode = (text: string): string => text.trim().replace(/^.*#/, "");
