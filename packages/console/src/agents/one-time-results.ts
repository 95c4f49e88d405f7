import { randomBytes } from "node:crypto";
import type { OwnerSession } from "../sign-in/sign-in-service.ts";

/**
 * Results of a form for the next page: shown once, within a minute, in the browser that sent it. Kept in memory,
 * because a vault stores no token. Sending the form twice creates one result.
 */
export interface OneTimeResults<T> {
  /** An id for one showing of the form. */
  newForm(): string;
  /** Creates the result, unless this form already has. Answers the id of the page that shows it. */
  make(session: OwnerSession, formId: string, make: () => Promise<T>): Promise<string>;
  /** Returns the result for that id, but only once. */
  take(session: OwnerSession, pageId: string): T | undefined;
}

const resultLifetimeMs = 60_000;
/** A sent form is remembered longer than its result. */
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
      // Expires even if the page is never opened.
      setTimeout(removeExpired, resultLifetimeMs + 1000).unref();
      const pageId = createId();
      const value = await form.value?.catch((error: unknown) => {
        // A failed attempt may be retried.
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
