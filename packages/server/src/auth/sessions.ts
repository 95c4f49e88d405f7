import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import {
  findSessionByHash,
  insertLink,
  insertSession,
  listSessions,
  type OwnerSession,
  redeemLink,
  revokeSession,
  touchSession,
} from "../store/access/sign-in.ts";
import type { WriteTransaction } from "../store/engine/engine.ts";
import type { Store } from "../store/store.ts";
import { createId, hashToken } from "./tokens.ts";

/** Owners sign in with a one-time link and then have a session. There is no password. */

const linkLifetimeMs = 10 * 60_000;
const idleMs = 12 * 3_600_000;
const maxSessionMs = 7 * 24 * 3_600_000;
/** How often the last use of a session is written. */
const touchEveryMs = 60_000;

/** Creates the code of a sign-in link. Anyone who can open the vault can do this. */
export async function createSignInCode(store: Store, ownerNo: number, now: number): Promise<string> {
  const code = randomBytes(16).toString("base64url");
  await store.engine.write((on) => insertLink(on, hashToken(code), ownerNo, now + linkLifetimeMs));
  return code;
}

export async function signIn(
  store: Store,
  code: string,
  browser: string,
  now: number,
): Promise<{ readonly secret: string; readonly session: OwnerSession } | undefined> {
  return store.engine.write(async (on) => {
    const ownerNo = await redeemLink(on, hashToken(code), now);
    return ownerNo === undefined ? undefined : createSession(on, ownerNo, browser, now);
  });
}

/** The caller must have verified who they are. */
export async function createSession(
  on: WriteTransaction,
  ownerNo: number,
  browser: string,
  now: number,
): Promise<{ readonly secret: string; readonly session: OwnerSession }> {
  const secret = randomBytes(32).toString("base64url");
  const session = {
    sessionId: createId("ses"),
    ownerNo,
    browser: browser.slice(0, 200).toWellFormed(),
    createdAt: now,
    seenAt: now,
  };
  await insertSession(on, hashToken(secret), session);
  return { secret, session };
}

export async function findSession(store: Store, secret: string, now: number): Promise<OwnerSession | undefined> {
  const hash = hashToken(secret);
  const session = await store.engine.read((on) => findSessionByHash(on, hash));
  if (session === undefined || now - session.seenAt > idleMs || now - session.createdAt > maxSessionMs)
    return undefined;
  if (now - session.seenAt > touchEveryMs) await store.engine.write((on) => touchSession(on, hash, now));
  return session;
}

export const signOut = (
  store: Store,
  { ownerNo, sessionId }: Pick<OwnerSession, "ownerNo" | "sessionId">,
  now: number,
): Promise<boolean> => store.engine.write((on) => revokeSession(on, ownerNo, sessionId, now));

const maxListed = 100;

export const listSignedIn = (store: Store, ownerNo: number, now: number): Promise<OwnerSession[]> =>
  store.engine.read((on) => listSessions(on, ownerNo, { created: now - maxSessionMs, seen: now - idleMs }, maxListed));

/** A CSRF token: only pages of this session can send it back. */
export const createCsrfToken = (store: Store, { sessionId }: OwnerSession): string =>
  createHmac("sha256", store.secret).update(`form of ${sessionId}`).digest("base64url");

export function isCsrfToken(store: Store, session: OwnerSession, sent: unknown): boolean {
  if (typeof sent !== "string") return false;
  const [ours, theirs] = [Buffer.from(createCsrfToken(store, session)), Buffer.from(sent)];
  return ours.length === theirs.length && timingSafeEqual(ours, theirs);
}
