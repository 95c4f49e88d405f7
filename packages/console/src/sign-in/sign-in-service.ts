/** Signing in, as the console sees it. */

export interface OwnerSession {
  readonly sessionId: string;
  readonly ownerNo: number;
  /** The browser's user agent. */
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

export interface SignIn {
  /** Finds the session of a browser's secret, if it is still valid. */
  findSession(secret: string): Promise<OwnerSession | undefined>;
  /** Creates a session if the code is valid, and returns its secret. The code cannot be used again. */
  signIn(code: string, browser: string): Promise<{ readonly secret: string } | undefined>;
  /** The owner's sessions, most recent first. */
  listSessions(session: OwnerSession): Promise<readonly OwnerSession[]>;
  /** Ends one of the owner's sessions. */
  signOut(session: OwnerSession, sessionId: string): Promise<boolean>;
  /** The CSRF token of this session. */
  createCsrfToken(session: OwnerSession): string;
  isCsrfToken(session: OwnerSession, sent: unknown): boolean;
  readonly passkeys: {
    /** Browsers support passkeys only for host names, and only on secure origins. */
    possibleAt(origin: string): boolean;
    /** The WebAuthn request options, as JSON. */
    askFor(origin: string): object;
    signIn(origin: string, answer: unknown, browser: string): Promise<{ readonly secret: string } | undefined>;
    list(session: OwnerSession): Promise<readonly OwnerPasskey[]>;
    /** The WebAuthn creation options, as JSON. */
    askForNew(session: OwnerSession, origin: string): Promise<object>;
    add(session: OwnerSession, origin: string, answer: unknown, name: string): Promise<void>;
    remove(session: OwnerSession, passkeyId: string): Promise<boolean>;
  };
}
