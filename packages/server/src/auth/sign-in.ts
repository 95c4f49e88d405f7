import type { Door } from "@pdpp/contract/sign-in";
import { listPasskeys, removePasskey } from "../store/access/passkeys.ts";
import type { Store } from "../store/store.ts";
import { addingOptions, addPasskey, canHavePasskeys, signInByPasskey, signInOptions } from "./passkeys.ts";
import { perMinute } from "./rate-limit.ts";
import { formProof, isFormProof, sessionOf, signedIn, signIn, signOut } from "./sessions.ts";

/** Over all browsers: nothing that one says about itself would tell them apart. */
const attemptsInAMinute = 30;

/** Signing in to the pages of one server. */
export function createDoor(store: Store, now: () => number): Door {
  const countAttempt = perMinute(attemptsInAMinute, now);
  return {
    sessionOf: (secret) => sessionOf(store, secret, now()),
    async signIn(code, browser) {
      countAttempt();
      return signIn(store, code, browser, now());
    },
    signedIn: ({ ownerNo }) => signedIn(store, ownerNo, now()),
    signOut: ({ ownerNo }, sessionId) => signOut(store, { ownerNo, sessionId }, now()),
    proofOf: (session) => formProof(store, session),
    isProof: (session, sent) => isFormProof(store, session, sent),
    passkeys: {
      possibleAt: canHavePasskeys,
      askFor: (origin) => signInOptions(store, origin, now()),
      async signIn(origin, answer, browser) {
        countAttempt();
        return signInByPasskey(store, origin, answer, browser, now());
      },
      list: ({ ownerNo }) => store.engine.read((on) => listPasskeys(on, ownerNo)),
      askForNew: (session, origin) => addingOptions(store, session, origin, now()),
      add: (session, origin, answer, name) => addPasskey(store, session, origin, answer, name, now()),
      remove: ({ ownerNo }, id) => store.engine.write((on) => removePasskey(on, ownerNo, id)),
    },
  };
}
