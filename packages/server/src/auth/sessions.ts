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
import { newId, tokenHash } from "./tokens.ts";

/** How an owner gets into the pages: a link that works once, and from then on a session. There is no password. */

const linkHoldsMs = 10 * 60_000;
const idleMs = 12 * 3_600_000;
const longestMs = 7 * 24 * 3_600_000;
/** Seen again within this time is not written down again. */
const touchEveryMs = 60_000;

/** A new code for a sign-in link. Whoever can open the vault can make one. */
export async function newSignInCode(store: Store, ownerNo: number, now: number): Promise<string> {
  const code = randomBytes(16).toString("base64url");
  await store.engine.write((on) => insertLink(on, tokenHash(code), ownerNo, now + linkHoldsMs));
  return code;
}

/** The secret of a new session, if the code holds; the code never works again. */
export async function signIn(
  store: Store,
  code: string,
  browser: string,
  now: number,
): Promise<{ readonly secret: string; readonly session: OwnerSession } | undefined> {
  return store.engine.write(async (on) => {
    const ownerNo = await redeemLink(on, tokenHash(code), now);
    return ownerNo === undefined ? undefined : newSession(on, ownerNo, browser, now);
  });
}

/** For somebody who has just shown who they are. */
export async function newSession(
  on: WriteTransaction,
  ownerNo: number,
  browser: string,
  now: number,
): Promise<{ readonly secret: string; readonly session: OwnerSession }> {
  const secret = randomBytes(32).toString("base64url");
  const session = {
    sessionId: newId("ses"),
    ownerNo,
    browser: browser.slice(0, 200).toWellFormed(),
    createdAt: now,
    seenAt: now,
  };
  await insertSession(on, tokenHash(secret), session);
  return { secret, session };
}

/** The session of a secret, as long as it lasts. */
export async function sessionOf(store: Store, secret: string, now: number): Promise<OwnerSession | undefined> {
  const hash = tokenHash(secret);
  const session = await store.engine.read((on) => findSessionByHash(on, hash));
  if (session === undefined || now - session.seenAt > idleMs || now - session.createdAt > longestMs) return undefined;
  if (now - session.seenAt > touchEveryMs) await store.engine.write((on) => touchSession(on, hash, now));
  return session;
}

export const signOut = (
  store: Store,
  { ownerNo, sessionId }: Pick<OwnerSession, "ownerNo" | "sessionId">,
  now: number,
): Promise<boolean> => store.engine.write((on) => revokeSession(on, ownerNo, sessionId, now));

const mostListed = 100;

/** Where the owner is signed in, the latest first. */
export const signedIn = (store: Store, ownerNo: number, now: number): Promise<OwnerSession[]> =>
  store.engine.read((on) => listSessions(on, ownerNo, { created: now - longestMs, seen: now - idleMs }, mostListed));

/** A value that only a page of this session can send back. */
export const formProof = (store: Store, { sessionId }: OwnerSession): string =>
  createHmac("sha256", store.secret).update(`form of ${sessionId}`).digest("base64url");

export function isFormProof(store: Store, session: OwnerSession, sent: unknown): boolean {
  if (typeof sent !== "string") return false;
  const [ours, theirs] = [Buffer.from(formProof(store, session)), Buffer.from(sent)];
  return ours.length === theirs.length && timingSafeEqual(ours, theirs);
}
