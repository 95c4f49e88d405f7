import { PdppError } from "@pdpp/contract/errors";
import type { Context, Hono } from "hono";
import { setCookie } from "hono/cookie";
import { buildPageHeaders } from "../frame/frame.tsx";
import { readForm } from "../frame/read-form.ts";
import { checkSameOrigin, isHttps, type PageParts } from "../frame/session.ts";
import { renderSignInPage } from "./sign-in-page.tsx";

export function addSignInRoutes(app: Hono, parts: PageParts): void {
  const { signIn, getOrigin, getPeer, getSource } = parts;
  const getVisitor = (c: Context) => ({ browser: c.req.header("user-agent") ?? "", peer: getPeer(c.req.raw) });
  const getPasskeyOptions = async (origin: string) =>
    (await signIn.passkeys.existAt(origin)) ? signIn.passkeys.askFor(origin) : undefined;
  app.get("/sign-in", async (c) => {
    const passkey = await getPasskeyOptions(getOrigin(c.req.raw));
    return c.html(renderSignInPage(keepOwnPath(c.req.query("next")), passkey), 200, buildPageHeaders());
  });
  app.post("/sign-in", async (c) => {
    const origin = getOrigin(c.req.raw);
    checkSameOrigin(c.req.raw, origin);
    const isLimited = !signIn.countAttempt(getSource(c.req.raw));
    // A valid link always works, whatever others tried; anything else is not worth reading.
    if (isLimited && !isSmall(c)) throw createLimitError();
    const form = await readForm(c.req);
    const code = form.get("code");
    const next = keepOwnPath(form.get("next"));
    const entered = typeof code === "string" ? parseCode(code) : "";
    const found = await signIn.signIn(entered, getVisitor(c));
    if (found === undefined && isLimited) throw createLimitError();
    if (found === undefined) {
      const fault =
        "This sign-in link has expired, was already used, or belongs to another vault. Run pdpp sign-in for a new one.";
      return c.html(renderSignInPage(next, await getPasskeyOptions(origin), fault), 403, buildPageHeaders());
    }
    return startSession(c, signIn.cookieName, origin, found.secret, next);
  });
  app.post("/sign-in/passkey", async (c) => {
    const origin = getOrigin(c.req.raw);
    checkSameOrigin(c.req.raw, origin);
    if (!signIn.countAttempt(getSource(c.req.raw))) throw createLimitError();
    const form = await readForm(c.req);
    const next = keepOwnPath(form.get("next"));
    const found = await signIn.passkeys.signIn(origin, form.get("answer"), getVisitor(c));
    if (found !== undefined) return startSession(c, signIn.cookieName, origin, found.secret, next);
    const fault = "Passkey not recognized, or the page was open too long. Try again, or use a sign-in link.";
    return c.html(renderSignInPage(next, await getPasskeyOptions(origin), fault), 403, buildPageHeaders());
  });
}

/** Fits a code and the page to return to. */
const maxSmallBytes = 4096;
const isSmall = (c: Context): boolean => Number(c.req.header("content-length") ?? Number.NaN) <= maxSmallBytes;

const createLimitError = (): PdppError =>
  new PdppError("rate_limited", "too many attempts. Try again in a minute", { retry_after_seconds: 60 });

function startSession(c: Context, cookieName: string, origin: string, secret: string, next: string): Response {
  setCookie(c, cookieName, secret, { httpOnly: true, sameSite: "Lax", path: "/", secure: isHttps(origin) });
  c.header("cache-control", "no-store");
  return c.redirect(next, 303);
}

/** Paths to return to after signing in. Queries can't contain a slash, so they can't smuggle in another URL. */
const rooms =
  "as|explore|day|calendar|money|photos|photo|places|people|person|mail|conversation|record|text|stream|activity|agents|browsers|import|settings";
/** A citation (`@pdpp/evidence/citation`), with each part percent-encoded. */
const citation = "record/[\\w.!~*'()%-]+/[\\w.!~*'()%-]+:[\\w.!~*'()%:,-]+(\\?at=[\\w.!~*'()%:@-]+)?";
const ownPaths = new RegExp(
  `^/(((${rooms})(/[\\w-]{1,64}){0,3})?(\\?[\\w.~%&=+*-]{0,2000})?|${citation}|consent/[\\w-]{1,64}|oauth/waiting/[\\w-]{1,64}|device(\\?user_code=[\\w-]{1,20})?)$`,
);

/** Prevents open redirects. */
const keepOwnPath = (next: unknown): string => (typeof next === "string" && ownPaths.test(next) ? next : "/");

/** Accepts a pasted link, too. */
const parseCode = (text: string): string => text.trim().replace(/^.*#/, "");
