import { PdppError } from "@pdpp/contract/errors";
import type { Context, Hono } from "hono";
import type { OwnerSession } from "../sign-in/sign-in-service.ts";
import { assets } from "./assets.ts";
import { type FormPart, readFormParts } from "./form-parts.ts";
import { readForm } from "./read-form.ts";
import { type ConsoleParts, checkNotEmbedded, checkSameOrigin, findSession } from "./session.ts";
import { loadViewer, type Viewer } from "./viewer.ts";

/** All routes of a signed-in owner go through this guard. */

export interface Guard {
  /** A GET route. Redirects to sign-in without a session. */
  page(path: string, show: (c: Context, session: OwnerSession, viewer: Viewer) => Promise<Response>): void;
  /**
   * A route that changes something. It requires the session and its CSRF token, and redirects, so that a reload
   * repeats nothing.
   */
  action(path: string, act: (c: Context, session: OwnerSession) => Promise<string>): void;
  /**
   * A form with several steps, whose state is too large for a URL. The handler answers with the form as filled in so far, or redirects when it is
   * done.
   */
  wizard(
    path: string,
    answer: (c: Context, session: OwnerSession, viewer: Viewer, form: FormData) => Promise<Response>,
  ): void;
  /** A POST that answers with a file. */
  download(path: string, give: (c: Context, session: OwnerSession) => Promise<Response>): void;
  /** A POST with files. The CSRF token is the first part and is checked before any file is read. */
  upload(
    path: string,
    take: (c: Context, session: OwnerSession, parts: AsyncIterable<FormPart>) => Promise<string>,
  ): void;
}

/** Routes open to anyone. A test ensures that every other console route uses the guard. */
export const openRoutes: ReadonlySet<string> = new Set([
  "GET /sign-in",
  "POST /sign-in",
  "POST /sign-in/passkey",
  ...assets.map(({ path }) => `GET ${path}`),
]);

const createCsrfError = (): PdppError =>
  new PdppError("permission_error", "your session has changed. Reload the page and try again");

/** No bookmark is longer than this. */
const maxNextChars = 2000;

export function createGuard(app: Hono, parts: ConsoleParts): Guard {
  const { signIn, getOrigin } = parts;
  type Answer = (c: Context, session: OwnerSession, form: FormData) => Promise<Response>;
  const post = (path: string, answer: Answer): void => {
    app.post(path, async (c) => {
      checkSameOrigin(c.req.raw, getOrigin(c.req.raw));
      const session = await findSession(c.req.raw, parts);
      if (session === undefined) return c.redirect("/sign-in", 303);
      const form = await readForm(c.req);
      if (!signIn.isCsrfToken(session, form.get("csrf_token"))) throw createCsrfError();
      return answer(c, session, form);
    });
  };
  return {
    page(path, show) {
      app.get(path, async (c) => {
        checkSameOrigin(c.req.raw, getOrigin(c.req.raw));
        checkNotEmbedded(c.req.raw);
        const session = await findSession(c.req.raw, parts);
        if (session !== undefined) return show(c, session, await loadViewer(session, parts));
        const { pathname, search } = new URL(c.req.url);
        const next = `${pathname}${search}`;
        return c.redirect(`/sign-in?next=${encodeURIComponent(next.length > maxNextChars ? pathname : next)}`, 303);
      });
    },
    action: (path, act) => post(path, async (c, session) => c.redirect(await act(c, session), 303)),
    download: post,
    wizard: (path, answer) =>
      post(path, async (c, session, form) => answer(c, session, await loadViewer(session, parts), form)),
    upload(path, take) {
      app.post(path, async (c) => {
        checkSameOrigin(c.req.raw, getOrigin(c.req.raw));
        const session = await findSession(c.req.raw, parts);
        if (session === undefined) return c.redirect("/sign-in", 303);
        const sent = readFormParts(c.req.raw);
        try {
          const { value: first } = await sent.next();
          const isValid = first?.name === "csrf_token" && "value" in first && signIn.isCsrfToken(session, first.value);
          if (!isValid) throw createCsrfError();
          return c.redirect(await take(c, session, sent), 303);
        } finally {
          await sent.return(undefined);
        }
      });
    },
  };
}
