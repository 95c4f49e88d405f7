import { listPasskeys, removePasskey } from "../store/access/passkeys.ts";
import type { OwnerSession } from "../store/access/sign-in.ts";
import type { Store } from "../store/store.ts";
import {
  addPasskey,
  canHavePasskeys,
  createRegistrationOptions,
  createSignInOptions,
  signInByPasskey,
} from "./passkeys.ts";
import { limitPerMinute } from "./rate-limit.ts";
import { createCsrfToken, findSession, isCsrfToken, listSignedIn, signIn, signOut } from "./sessions.ts";

/** For all browsers together, since a browser can claim to be another one. */
const maxAttemptsPerMinute = 30;

/** Implements what the console needs to sign owners in (`SignIn` in packages/console). */
export function createSignIn(store: Store, now: () => number) {
  const countAttempt = limitPerMinute(maxAttemptsPerMinute, now);
  return {
    findSession: (secret: string) => findSession(store, secret, now()),
    async signIn(code: string, browser: string) {
      countAttempt();
      return signIn(store, code, browser, now());
    },
    listSessions: ({ ownerNo }: OwnerSession) => listSignedIn(store, ownerNo, now()),
    signOut: ({ ownerNo }: OwnerSession, sessionId: string) => signOut(store, { ownerNo, sessionId }, now()),
    createCsrfToken: (session: OwnerSession) => createCsrfToken(store, session),
    isCsrfToken: (session: OwnerSession, sent: unknown) => isCsrfToken(store, session, sent),
    passkeys: {
      possibleAt: canHavePasskeys,
      askFor: (origin: string) => createSignInOptions(store, origin, now()),
      async signIn(origin: string, answer: unknown, browser: string) {
        countAttempt();
        return signInByPasskey(store, origin, answer, browser, now());
      },
      list: ({ ownerNo }: OwnerSession) => store.engine.read((on) => listPasskeys(on, ownerNo)),
      askForNew: (session: OwnerSession, origin: string) => createRegistrationOptions(store, session, origin, now()),
      add: (session: OwnerSession, origin: string, answer: unknown, name: string) =>
        addPasskey(store, session, origin, answer, name, now()),
      remove: ({ ownerNo }: OwnerSession, id: string) => store.engine.write((on) => removePasskey(on, ownerNo, id)),
    },
  };
}
