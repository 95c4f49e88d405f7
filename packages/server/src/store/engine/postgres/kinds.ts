import { scaleTimeLimit } from "../../../time-limits.ts";

/** Each kind of work has its own pool, so that none starves the others. */
export interface PoolKind {
  readonly connections: number;
  readonly isWriting: boolean;
  /** Timeout of one statement, enforced by the server. */
  readonly statementMs: number;
  /** Timeout for getting a connection. */
  readonly connectMs: number;
}

const maxReadMs = scaleTimeLimit(15_000);
/** A busy database may need long for a statement over all records, and reading threads have a limit of their own. */
const maxHeavyMs = scaleTimeLimit(60_000);
const maxReadyMs = scaleTimeLimit(2000);
export const kinds = {
  light: { connections: 8, isWriting: false, statementMs: maxReadMs, connectMs: scaleTimeLimit(10_000) },
  heavy: { connections: 3, isWriting: false, statementMs: maxHeavyMs, connectMs: scaleTimeLimit(30_000) },
  // Creating an index over millions of records is one statement.
  write: { connections: 4, isWriting: true, statementMs: 30 * 60_000, connectMs: scaleTimeLimit(20_000) },
  ready: { connections: 1, isWriting: false, statementMs: maxReadyMs, connectMs: maxReadyMs },
} satisfies Record<string, PoolKind>;

/** How long a write waits for a lock, and how long the server keeps an idle transaction open. */
const lockTimeoutMs = scaleTimeLimit(20_000);
const idleTimeoutMs = scaleTimeLimit(60_000);

const listTimeouts = ({ statementMs }: PoolKind) => ({
  statement_timeout: statementMs,
  lock_timeout: lockTimeoutMs,
  idle_in_transaction_session_timeout: idleTimeoutMs,
});

/** Settings of a connection of our own, as the `options` it starts with: BEGIN is then the only statement before a transaction's work. */
export function formatSessionOptions(kind: PoolKind): string {
  const settings: [string, string | number][] = Object.entries(listTimeouts(kind));
  if (!kind.isWriting)
    settings.push(["default_transaction_isolation", "repeatable\\ read"], ["default_transaction_read_only", "on"]);
  return settings.map(([name, value]) => `-c ${name}=${value}`).join(" ");
}

/** Tells whether the server applied `formatSessionOptions`. */
export const sessionCheck = "SELECT setting::float8 AS ms FROM pg_settings WHERE name = 'statement_timeout'";

const beginReading = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

export const formatBegin = ({ isWriting }: PoolKind): string => (isWriting ? "BEGIN" : beginReading);

/** A pooler may give each transaction another connection, so the timeouts are set within the transaction. */
export const formatPooledBegin = (kind: PoolKind): string =>
  [
    formatBegin(kind),
    ...Object.entries(listTimeouts(kind)).map(([name, value]) => `SET LOCAL ${name} = ${value}`),
  ].join("; ");
