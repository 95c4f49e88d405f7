import { listPasskeys, removePasskey } from "../store/access/passkeys.ts";
import type { OwnerSession } from "../store/access/sign-in.ts";
import type { Store } from "../store/store.ts";
import {
  addPasskey,
  canHavePasskeys,
  createRegistrationOptions,
  createSignInOptions,
  hasPasskeyAt,
  signInByPasskey,
} from "./passkeys.ts";
import { createRateLimiter } from "./rate-limit.ts";
import {
  createCsrfToken,
  findSession,
  getCookieName,
  isCsrfToken,
  listSignedIn,
  plainLifetime,
  secureLifetime,
  signIn,
  signOut,
  type Visitor,
} from "./sessions.ts";

const maxAttempts = { perSource: 30, overall: 300 };

/** Implements what the console needs to sign owners in (`SignIn` in packages/console). */
export function createSignIn(store: Store, now: () => number, isSecure: boolean) {
  const lifetime = isSecure ? secureLifetime : plainLifetime;
  return {
    cookieName: getCookieName(store, isSecure),
    findSession: (secret: string, peer: string) => findSession(store, secret, peer, lifetime, now()),
    countAttempt: createRateLimiter(maxAttempts, now),
    signIn: (code: string, visitor: Visitor) => signIn(store, code, visitor, now()),
    listSessions: ({ ownerNo }: OwnerSession) => listSignedIn(store, ownerNo, lifetime, now()),
    signOut: ({ ownerNo }: OwnerSession, sessionId: string) => signOut(store, { ownerNo, sessionId }, now()),
    createCsrfToken: (session: OwnerSession) => createCsrfToken(store, session),
    isCsrfToken: (session: OwnerSession, sent: unknown) => isCsrfToken(store, session, sent),
    passkeys: {
      possibleAt: canHavePasskeys,
      existAt: (origin: string) => hasPasskeyAt(store, origin),
      askFor: (origin: string) => createSignInOptions(store, origin, now()),
      signIn: (origin: string, answer: unknown, visitor: Visitor) =>
        signInByPasskey(store, origin, answer, visitor, now()),
      list: ({ ownerNo }: OwnerSession) => store.engine.read((on) => listPasskeys(on, ownerNo)),
      askForNew: (session: OwnerSession, origin: string) => createRegistrationOptions(store, session, origin, now()),
      add: (session: OwnerSession, origin: string, answer: unknown, name: string) =>
        addPasskey(store, session, origin, answer, name, now()),
      remove: ({ ownerNo }: OwnerSession, id: string) => store.engine.write((on) => removePasskey(on, ownerNo, id)),
    },
  };
}
