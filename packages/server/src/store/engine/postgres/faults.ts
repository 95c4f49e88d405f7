import { PdppError } from "@pdpp/contract/errors";

/** What a database that is away, or busy, looks like from here; everything else is a bug. */

const networkCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
]);
/** The server is stopping, starting, or full. */
const serverCodes = new Set(["57P01", "57P02", "57P03", "57P05", "53300", "25P03"]);
/** What `pg` says without a code. */
const lost = /^(Connection terminated|Client has encountered a connection error|Client was closed|Query read timeout)/;
const noConnection = /^(timeout exceeded when trying to connect|Connection terminated due to connection timeout)/;
const lockTimeout = "55P03";
const statementTimeout = "57014";

const codeOf = (error: Error): string => ("code" in error ? String(error.code) : "");

const isAway = (error: Error): boolean => {
  const code = codeOf(error);
  return networkCodes.has(code) || serverCodes.has(code) || code.startsWith("08") || lost.test(error.message);
};

const unavailable = (message: string, seconds: number, cause: Error): PdppError =>
  Object.assign(new PdppError("unavailable", message, { retry_after_seconds: seconds }), { cause });

/** The fault as whoever asked is told it. Where the server is stays out of it: clients read this. */
export function asTold(error: unknown, isWriting: boolean): unknown {
  const fault = error instanceof AggregateError ? error.errors[0] : error;
  if (!(fault instanceof Error) || fault instanceof PdppError) return error;
  if (noConnection.test(fault.message))
    return unavailable("the database has no connection free; try again in a moment", 2, fault);
  if (isAway(fault)) return unavailable("the database does not answer; try again in a moment", 2, fault);
  if (codeOf(fault) === lockTimeout)
    return unavailable("another process is writing to this vault and has not finished; try again", 5, fault);
  if (codeOf(fault) === statementTimeout && !isWriting)
    return new PdppError("query_too_heavy", "this read took too long and was stopped; ask for less");
  if (codeOf(fault) === statementTimeout)
    return unavailable("the database took too long for this; ask for less, or try again later", 5, fault);
  return error;
}

/** A connection that was lost while nobody used it is known to be so only by its next statement. */
export const isLostConnection = (error: unknown): boolean => error instanceof Error && isAway(error);
