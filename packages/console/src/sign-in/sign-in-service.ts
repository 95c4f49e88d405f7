/** Signing in, as the console sees it. */

export interface OwnerSession {
  readonly sessionId: string;
  readonly ownerNo: number;
  /** The browser's user agent. */
  readonly browser: string;
  readonly createdAt: number;
  readonly seenAt: number;
}

/** A browser that signs in, and the connection it uses. */
interface Visitor {
  readonly browser: string;
  readonly peer: string;
}

export interface OwnerPasskey {
  readonly passkeyId: string;
  readonly host: string;
  readonly name: string;
  readonly createdAt: number;
  readonly usedAt: number | null;
}

export interface SignIn {
  /** The cookie that holds a session's secret. */
  readonly cookieName: string;
  /** Finds the session of a browser's secret, if it is still valid and was created for the same peer. */
  findSession(secret: string, peer: string): Promise<OwnerSession | undefined>;
  /** Counts an attempt, before anything of it is read, and answers whether the source is within its limit. */
  countAttempt(source: string): boolean;
  /** Creates a session if the code is valid, and returns its secret. The code cannot be used again. */
  signIn(code: string, visitor: Visitor): Promise<{ readonly secret: string } | undefined>;
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
    /** Whether the vault has a passkey for this host name. */
    existAt(origin: string): Promise<boolean>;
    /** The WebAuthn request options, as JSON. */
    askFor(origin: string): object;
    signIn(origin: string, answer: unknown, visitor: Visitor): Promise<{ readonly secret: string } | undefined>;
    list(session: OwnerSession): Promise<readonly OwnerPasskey[]>;
    /** The WebAuthn creation options, as JSON. */
    askForNew(session: OwnerSession, origin: string): Promise<object>;
    add(session: OwnerSession, origin: string, answer: unknown, name: string): Promise<void>;
    remove(session: OwnerSession, passkeyId: string): Promise<boolean>;
  };
}
