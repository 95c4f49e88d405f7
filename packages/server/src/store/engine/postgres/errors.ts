import { PdppError } from "@pdpp/contract/errors";

/** Errors of an unreachable or busy database. All other errors are bugs. */

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
/** Messages of `pg` errors that have no code. */
const lostConnectionMessage =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|Query read timeout)/;
const noConnectionMessage =
  /^(timeout exceeded when trying to connect|Connection terminated due to connection timeout)/;
const lockTimeoutCode = "55P03";
const statementTimeoutCode = "57014";

/** The database rejects writes, and may accept them again later. */
const unwritableMessages: Readonly<Record<string, string>> = {
  "25006": "the database is read-only; make it writable, or connect to the primary server",
  "53100": "the disk of the database is full; free some space",
};

const getCode = (error: Error): string => ("code" in error ? String(error.code) : "");

const isUnavailable = (error: Error): boolean => {
  const code = getCode(error);
  return (
    networkCodes.has(code) ||
    serverCodes.has(code) ||
    code.startsWith("08") ||
    lostConnectionMessage.test(error.message)
  );
};

const createUnavailableError = (message: string, seconds: number, cause: Error): PdppError =>
  Object.assign(new PdppError("unavailable", message, { retry_after_seconds: seconds }), { cause });

/** The error as clients see it: it does not reveal where the server is. */
export function translateError(error: unknown, isWriting: boolean): unknown {
  const fault = error instanceof AggregateError ? error.errors[0] : error;
  if (!(fault instanceof Error) || fault instanceof PdppError) return error;
  if (noConnectionMessage.test(fault.message))
    return createUnavailableError("the database has no free connection; try again in a moment", 2, fault);
  if (isUnavailable(fault))
    return createUnavailableError("the database is not responding; try again in a moment", 2, fault);
  const unwritable = unwritableMessages[getCode(fault)];
  if (unwritable !== undefined) return createUnavailableError(unwritable, 30, fault);
  if (getCode(fault) === lockTimeoutCode)
    return createUnavailableError("another process is writing to this vault; try again", 5, fault);
  if (getCode(fault) === statementTimeoutCode && !isWriting)
    return new PdppError("query_too_heavy", "this read took too long and was stopped; request less data");
  if (getCode(fault) === statementTimeoutCode)
    return createUnavailableError("the database took too long; request less data, or try again later", 5, fault);
  return error;
}

/** A connection that was lost while idle shows it only at its next statement. */
export const isLostConnection = (error: unknown): boolean => error instanceof Error && isUnavailable(error);

export const isUnwritable = (error: unknown): boolean => error instanceof Error && getCode(error) in unwritableMessages;

/** A pooler refuses the settings that a connection starts with. */
export const isRejectedStartup = (error: unknown): boolean =>
  error instanceof Error &&
  (getCode(error) === "08P01" || /unsupported startup parameter|command-line options/i.test(error.message));

/** A replica ended a read because it had to apply a change that the read still needed the state before. */
export const isRecoveryConflict = (error: unknown): boolean =>
  error instanceof Error && getCode(error) === "40001" && /conflict with recovery/.test(error.message);
