/** How an owner gets into the pages: what the pages need of it, and nothing below it. */

export interface OwnerSession {
  readonly sessionId: string;
  readonly ownerNo: number;
  /** What the browser says it is. */
  readonly browser: string;
  readonly createdAt: number;
  readonly seenAt: number;
}

export interface OwnerPasskey {
  readonly passkeyId: string;
  readonly host: string;
  readonly name: string;
  readonly createdAt: number;
  readonly usedAt: number | null;
}

export interface Door {
  /** The session of a browser's secret, as long as it lasts. */
  sessionOf(secret: string): Promise<OwnerSession | undefined>;
  /** The secret of a new session, if the code holds; the code never works again. */
  signIn(code: string, browser: string): Promise<{ readonly secret: string } | undefined>;
  /** Where the owner is signed in, the latest first. */
  signedIn(session: OwnerSession): Promise<readonly OwnerSession[]>;
  /** Ends one of the owner's sessions. */
  signOut(session: OwnerSession, sessionId: string): Promise<boolean>;
  /** A value that only a page of this session can send back. */
  proofOf(session: OwnerSession): string;
  isProof(session: OwnerSession, sent: unknown): boolean;
  readonly passkeys: {
    /** Browsers have passkeys for names only, and only where nobody can listen. */
    possibleAt(origin: string): boolean;
    /** What a browser needs to show one, as JSON. */
    askFor(origin: string): object;
    signIn(origin: string, answer: unknown, browser: string): Promise<{ readonly secret: string } | undefined>;
    list(session: OwnerSession): Promise<readonly OwnerPasskey[]>;
    /** What the owner's browser needs to make one, as JSON. */
    askForNew(session: OwnerSession, origin: string): Promise<object>;
    add(session: OwnerSession, origin: string, answer: unknown, name: string): Promise<void>;
    remove(session: OwnerSession, passkeyId: string): Promise<boolean>;
  };
}
