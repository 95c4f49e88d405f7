import { PdppError } from "@pdpp/contract/errors";
import type { OwnerSession } from "@pdpp/contract/sign-in";
import type { Context, Hono } from "hono";
import { assets } from "./assets.ts";
import { type FormPart, formParts } from "./form-parts.ts";
import type { Proof } from "./proof.ts";
import { type ConsoleParts, checkSameOrigin, sessionIn } from "./session.ts";

/** The one way to a page of a signed-in owner, and to what its forms do. */

export interface Guard {
  /** A page, or a file of one. */
  owned(path: string, show: (c: Context, session: OwnerSession, proof: Proof) => Promise<Response>): void;
  /** What changes something needs the session, a page of that session, and ends at another page: a reload repeats nothing. */
  acting(path: string, act: (c: Context, session: OwnerSession) => Promise<string>): void;
  /**
   * A form in several steps, whose ticks are more than an address holds: it answers the form as it is filled in so far, or leads elsewhere once
   * something was done.
   */
  filling(
    path: string,
    answer: (c: Context, session: OwnerSession, proof: Proof, form: FormData) => Promise<Response>,
  ): void;
  /** A form that is answered with a file: as guarded as what changes something, and nothing changes. */
  giving(path: string, give: (c: Context, session: OwnerSession) => Promise<Response>): void;
  /** The same with files, which come part by part: the proof is the first part, and no byte of a file is taken before it was seen. */
  taking(
    path: string,
    take: (c: Context, session: OwnerSession, parts: AsyncIterable<FormPart>) => Promise<string>,
  ): void;
}

/** What is open to whoever can reach the server. A test holds every other route of the console to the guard. */
export const openRoutes: ReadonlySet<string> = new Set([
  "GET /sign-in",
  "POST /sign-in",
  "POST /sign-in/passkey",
  ...assets.map(({ path }) => `GET ${path}`),
]);

const notOfYours = (): PdppError =>
  new PdppError("permission_error", "your session has changed. Reload the page and try again");

/** Longer addresses are nobody's bookmark. */
const longestNext = 2000;

export function guard(app: Hono, parts: ConsoleParts): Guard {
  const { door, originOf, ownerOf } = parts;
  const proofOf = async (session: OwnerSession): Promise<Proof> => {
    const { name, is_only } = await ownerOf(session).self();
    return { value: door.proofOf(session), owner: is_only || name === "" ? undefined : name };
  };
  type Answer = (c: Context, session: OwnerSession, form: FormData) => Promise<Response>;
  const posted = (path: string, answer: Answer): void => {
    app.post(path, async (c) => {
      checkSameOrigin(c.req.raw, originOf(c.req.raw));
      const session = await sessionIn(c.req.raw, parts);
      if (session === undefined) return c.redirect("/sign-in", 303);
      const form = await c.req.formData();
      if (!door.isProof(session, form.get("proof"))) throw notOfYours();
      return answer(c, session, form);
    });
  };
  return {
    owned(path, show) {
      app.get(path, async (c) => {
        checkSameOrigin(c.req.raw, originOf(c.req.raw));
        checkNotEmbedded(c.req.raw);
        const session = await sessionIn(c.req.raw, parts);
        if (session !== undefined) return show(c, session, await proofOf(session));
        const { pathname, search } = new URL(c.req.url);
        const next = `${pathname}${search}`;
        return c.redirect(`/sign-in?next=${encodeURIComponent(next.length > longestNext ? pathname : next)}`, 303);
      });
    },
    acting: (path, act) => posted(path, async (c, session) => c.redirect(await act(c, session), 303)),
    giving: posted,
    filling: (path, answer) =>
      posted(path, async (c, session, form) => answer(c, session, await proofOf(session), form)),
    taking(path, take) {
      app.post(path, async (c) => {
        checkSameOrigin(c.req.raw, originOf(c.req.raw));
        const session = await sessionIn(c.req.raw, parts);
        if (session === undefined) return c.redirect("/sign-in", 303);
        const sent = formParts(c.req.raw);
        try {
          const { value: first } = await sent.next();
          const isProof = first?.name === "proof" && "value" in first && door.isProof(session, first.value);
          if (!isProof) throw notOfYours();
          return c.redirect(await take(c, session, sent), 303);
        } finally {
          await sent.return(undefined);
        }
      });
    },
  };
}

/**
 * A link from elsewhere may lead here; a picture or a script there may not be one of ours. Cookies alone do not tell: another port of this
 * computer is the same site.
 */
function checkNotEmbedded({ headers }: Request): void {
  const from = headers.get("sec-fetch-site");
  if (from === null || from === "same-origin" || from === "none" || headers.get("sec-fetch-dest") === "document")
    return;
  throw new PdppError("permission_error", "this page can't be embedded in other sites. Open it in its own tab");
}
