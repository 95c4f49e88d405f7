import type { SignIn } from "@pdpp/contract/sign-in";
import { listPasskeys, removePasskey } from "../store/access/passkeys.ts";
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

export function createSignIn(store: Store, now: () => number): SignIn {
  const countAttempt = limitPerMinute(maxAttemptsPerMinute, now);
  return {
    findSession: (secret) => findSession(store, secret, now()),
    async signIn(code, browser) {
      countAttempt();
      return signIn(store, code, browser, now());
    },
    listSessions: ({ ownerNo }) => listSignedIn(store, ownerNo, now()),
    signOut: ({ ownerNo }, sessionId) => signOut(store, { ownerNo, sessionId }, now()),
    createCsrfToken: (session) => createCsrfToken(store, session),
    isCsrfToken: (session, sent) => isCsrfToken(store, session, sent),
    passkeys: {
      possibleAt: canHavePasskeys,
      askFor: (origin) => createSignInOptions(store, origin, now()),
      async signIn(origin, answer, browser) {
        countAttempt();
        return signInByPasskey(store, origin, answer, browser, now());
      },
      list: ({ ownerNo }) => store.engine.read((on) => listPasskeys(on, ownerNo)),
      askForNew: (session, origin) => createRegistrationOptions(store, session, origin, now()),
      add: (session, origin, answer, name) => addPasskey(store, session, origin, answer, name, now()),
      remove: ({ ownerNo }, id) => store.engine.write((on) => removePasskey(on, ownerNo, id)),
    },
  };
}
