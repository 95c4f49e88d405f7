import { randomBytes } from "node:crypto";
import type { OwnerSession } from "@pdpp/contract/sign-in";

/**
 * What a form made, for the page that comes after it: shown once, within a minute, in the browser that sent the form. In memory only, because a
 * vault holds no token. The same form sent twice makes one thing.
 */
export interface OneTimeResults<T> {
  /** A name for one filling of a form. */
  newForm(): string;
  /** Makes it, unless this form has; answers the id under which it is shown. */
  make(session: OwnerSession, formId: string, make: () => Promise<T>): Promise<string>;
  /** What is kept under that id; the second time nothing. */
  take(session: OwnerSession, pageId: string): T | undefined;
}

const resultLifetimeMs = 60_000;
/** That a form was sent is known for longer than what came of it. */
const formLifetimeMs = 3_600_000;
const maxForms = 1000;

interface SentForm<T> {
  readonly at: number;
  value: Promise<T> | undefined;
}

const createId = (): string => randomBytes(16).toString("base64url");

export function createOneTimeResults<T>(now: () => number): OneTimeResults<T> {
  const sent = new Map<string, SentForm<T>>();
  const pages = new Map<string, { readonly sessionId: string; readonly until: number; readonly value: T }>();
  const removeExpired = (): void => {
    for (const [id, { until }] of pages) if (until <= now()) pages.delete(id);
    for (const [id, form] of sent) {
      if (form.at + resultLifetimeMs <= now()) form.value = undefined;
      if (form.at + formLifetimeMs <= now() || sent.size > maxForms) sent.delete(id);
    }
  };
  return {
    newForm: createId,
    async make({ sessionId }, formId, make) {
      removeExpired();
      const key = `${sessionId} ${formId}`;
      const form = sent.get(key) ?? { at: now(), value: make() };
      sent.set(key, form);
      // Also when nobody comes back to ask.
      setTimeout(removeExpired, resultLifetimeMs + 1000).unref();
      const pageId = createId();
      const value = await form.value?.catch((error: unknown) => {
        // What could not be made may be tried again.
        sent.delete(key);
        throw error;
      });
      if (value !== undefined) pages.set(pageId, { sessionId, until: form.at + resultLifetimeMs, value });
      return pageId;
    },
    take({ sessionId }, pageId) {
      removeExpired();
      const held = pages.get(pageId);
      if (held === undefined || held.sessionId !== sessionId) return undefined;
      pages.delete(pageId);
      return held.value;
    },
  };
}
