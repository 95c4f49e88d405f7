import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import {
  findSessionByHash,
  insertLink,
  insertSession,
  isLinkValid,
  listSessions,
  type OwnerSession,
  redeemLink,
  revokeSession,
  touchSession,
} from "../store/access/sign-in.ts";
import type { WriteTransaction } from "../store/engine/engine.ts";
import { type Store, writeUrgently } from "../store/store.ts";
import { createId, hashToken } from "./tokens.ts";

/** Owners sign in with a one-time link and then have a session. There is no password. */

const linkLifetimeMs = 10 * 60_000;
const hourMs = 3_600_000;

/** How long sessions last. Shorter on plain http, where a cookie reaches every port of the host. */
export interface SessionLifetime {
  readonly idleMs: number;
  readonly maxMs: number;
}
export const secureLifetime: SessionLifetime = { idleMs: 12 * hourMs, maxMs: 7 * 24 * hourMs };
export const plainLifetime: SessionLifetime = { idleMs: 4 * hourMs, maxMs: 24 * hourMs };

/** A browser, and the connection it uses. A session works only with the same `peer`. */
export interface Visitor {
  readonly browser: string;
  readonly peer: string;
}

/** The peer is part of the hash, so a stolen or planted secret finds nothing. */
const hashSession = (secret: string, peer: string): string => hashToken(`${secret} ${peer}`);

/** How often the last use of a session is written. */
const touchEveryMs = 60_000;

/** Creates the code of a sign-in link. Anyone who can open the vault can do this. */
export async function createSignInCode(store: Store, ownerNo: number, now: number): Promise<string> {
  const code = randomBytes(16).toString("base64url");
  const expiresAt = now + linkLifetimeMs;
  await writeUrgently(store, (on) => insertLink(on, hashToken(code), ownerNo, expiresAt));
  return code;
}

export async function signIn(
  store: Store,
  code: string,
  visitor: Visitor,
  now: number,
): Promise<{ readonly secret: string; readonly session: OwnerSession } | undefined> {
  // Wrong codes, which strangers can send, cost no write.
  if (!(await store.engine.read((on) => isLinkValid(on, hashToken(code), now)))) return undefined;
  return writeUrgently(store, async (on) => {
    const ownerNo = await redeemLink(on, hashToken(code), now);
    return ownerNo === undefined ? undefined : createSession(on, ownerNo, visitor, now);
  });
}

/** The caller must have verified who they are. */
export async function createSession(
  on: WriteTransaction,
  ownerNo: number,
  { browser, peer }: Visitor,
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
  await insertSession(on, hashSession(secret, peer), session);
  return { secret, session };
}

export async function findSession(
  store: Store,
  secret: string,
  peer: string,
  { idleMs, maxMs }: SessionLifetime,
  now: number,
): Promise<OwnerSession | undefined> {
  const hash = hashSession(secret, peer);
  const session = await store.engine.read((on) => findSessionByHash(on, hash));
  if (session === undefined) return undefined;
  if (now - session.seenAt > idleMs || now - session.createdAt > maxMs) {
    // Recorded, so that a clock that is set back does not revive it.
    await signOut(store, session, now).catch(() => undefined);
    return undefined;
  }
  if (now - session.seenAt > touchEveryMs) await store.engine.write((on) => touchSession(on, hash, now));
  return session;
}

export const signOut = (
  store: Store,
  { ownerNo, sessionId }: Pick<OwnerSession, "ownerNo" | "sessionId">,
  now: number,
): Promise<boolean> => store.engine.write((on) => revokeSession(on, ownerNo, sessionId, now));

const maxListed = 100;

export const listSignedIn = (
  store: Store,
  ownerNo: number,
  { idleMs, maxMs }: SessionLifetime,
  now: number,
): Promise<OwnerSession[]> =>
  store.engine.read((on) => listSessions(on, ownerNo, { created: now - maxMs, seen: now - idleMs }, maxListed));

/** Part of the names of cookies. Differs between vaults, so that one browser can use two of them on one host. */
export const getCookieLabel = (store: Store): string =>
  createHmac("sha256", store.secret).update("label of cookies").digest("hex").slice(0, 8);

export const getCookieName = (store: Store, isSecure: boolean): string =>
  `${isSecure ? "__Host-" : ""}pdpp_session_${getCookieLabel(store)}`;

/** A CSRF token: only pages of this session can send it back. */
export const createCsrfToken = (store: Store, { sessionId }: OwnerSession): string =>
  createHmac("sha256", store.secret).update(`form of ${sessionId}`).digest("base64url");

export function isCsrfToken(store: Store, session: OwnerSession, sent: unknown): boolean {
  if (typeof sent !== "string") return false;
  const [ours, theirs] = [Buffer.from(createCsrfToken(store, session)), Buffer.from(sent)];
  return ours.length === theirs.length && timingSafeEqual(ours, theirs);
}
