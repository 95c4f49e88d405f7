import { buildErrorEnvelope, type ErrorEnvelope, NoResponseError, PdppError } from "@pdpp/contract/errors";
import { ImportOptionsError } from "@pdpp/importing/import-options-error";
import { describeSystemError, getErrorCode } from "@pdpp/server/system-error";
import { CommanderError } from "commander";
import { ManifestsInvalid } from "../input/manifests-invalid.ts";
import { createStyle, escapeUnprintable, showLabel } from "../render/terminal/style.ts";

/** The command line is invalid. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** No usable client credential: missing, invalid, or an owner's. */
export class CredentialError extends PdppError {
  readonly reason: "missing" | "unusable" | "owner";

  constructor(reason: "missing" | "unusable" | "owner", message: string, nextStep: string) {
    super(reason === "owner" ? "permission_error" : "authentication_error", message, { next_step: nextStep });
    this.name = "CredentialError";
    this.reason = reason;
  }
}

/** `pdpp read` uses the exit codes of the public protocol. */
interface ExitCodes {
  readonly usage: number;
  readonly ownerCredential: number;
  readonly noCredential: number;
  readonly unreachable: number;
}
const defaultExitCodes: ExitCodes = { usage: 64, ownerCredential: 77, noCredential: 78, unreachable: 1 };
const exitCodesByCommand: Readonly<Record<string, ExitCodes>> = {
  read: { usage: 2, ownerCredential: 2, noCredential: 2, unreachable: 2 },
};
const exitCodeByStatus: Record<number, number> = { 401: 3, 403: 4, 404: 5 };

function getExitCode(error: PdppError, codes: ExitCodes): number {
  if (error instanceof CredentialError) return error.reason === "owner" ? codes.ownerCredential : codes.noCredential;
  if (error instanceof NoResponseError) return codes.unreachable;
  return exitCodeByStatus[error.status] ?? 1;
}

interface Failure {
  readonly exitCode: number;
  readonly envelope: ErrorEnvelope;
  readonly text: string;
  /** An unexpected error: show its stack. */
  readonly bug?: true;
}

/** Prints the error on stderr, as text or JSON, and returns the exit code. */
export function reportFailure(error: unknown, json: boolean, command = ""): number {
  if (isSilent(error)) return 0;
  const codes = (Object.hasOwn(exitCodesByCommand, command) && exitCodesByCommand[command]) || defaultExitCodes;
  const { exitCode, envelope, text, bug } = describeFailure(error, codes);
  const stack = bug && process.env.PDPP_DEBUG === "1" && error instanceof Error ? error.stack : undefined;
  if (json) {
    const shown = stack === undefined ? envelope : { error: { ...envelope.error, stack } };
    process.stderr.write(`${JSON.stringify(shown)}\n`);
  } else {
    if (text !== "") process.stderr.write(`${createStyle(process.stderr).red("error:")} ${text}\n`);
    if (stack !== undefined) process.stderr.write(`${stack}\n`);
  }
  return exitCode;
}

/** Help or version output, or a closed pipe. */
const isSilent = (error: unknown): boolean =>
  (error instanceof CommanderError && error.exitCode === 0) || getErrorCode(error) === "EPIPE";

function describeFailure(error: unknown, codes: ExitCodes): Failure {
  if (error instanceof CommanderError) return describeUsageFailure(error, codes);
  if (error instanceof UsageError || error instanceof ImportOptionsError) {
    return {
      exitCode: codes.usage,
      envelope: createEnvelope("invalid_request", error.message),
      text: escapeLines(error.message),
    };
  }
  if (error instanceof ManifestsInvalid) {
    const envelope = createEnvelope("connector_invalid", error.message);
    return {
      exitCode: 1,
      envelope: { error: { ...envelope.error, ...{ faults: error.faults } } },
      text: escapeLines(error.message),
    };
  }
  const expected = error instanceof PdppError ? error : describeSystemError(error);
  if (expected !== undefined) {
    return {
      exitCode: getExitCode(expected, codes),
      envelope: buildErrorEnvelope(expected),
      text: escapeLines(formatError(expected)),
    };
  }
  const message = `internal error: ${error instanceof Error ? error.message : String(error)}`;
  const advice = "This is a bug in pdpp. Run the command again with PDPP_DEBUG=1 and report the output.";
  return {
    exitCode: 1,
    envelope: createEnvelope("api_error", message),
    text: `${escapeLines(message)}\n${advice}`,
    bug: true,
  };
}

function formatError({ message, details, requestId }: PdppError): string {
  const { next_step: next, available_connections: candidates = [], available_connection_count: count = 0 } = details;
  const { unavailable_connections: unable = [] } = details;
  return [
    message,
    ...candidates.map(
      ({ connection_id: id, display_name: label }) =>
        `  ${escapeUnprintable(id)}${label ? `  ${showLabel(label)}` : ""}`,
    ),
    ...(count > candidates.length && candidates.length > 0 ? [`  and ${count - candidates.length} more`] : []),
    ...unable.map(
      ({ connection_id: id, reason }) => `cannot do this: ${escapeUnprintable(id)} (${escapeUnprintable(reason)})`,
    ),
    ...(next === undefined ? [] : [next]),
    ...(requestId === undefined ? [] : [`request ${requestId}`]),
  ].join("\n");
}

const createEnvelope = (
  code: "invalid_request" | "connector_invalid" | "authentication_error" | "api_error",
  message: string,
): ErrorEnvelope => buildErrorEnvelope(new PdppError(code, message));

const escapeLines = (text: string): string => text.split("\n").map(escapeUnprintable).join("\n");

function describeUsageFailure(error: CommanderError, codes: ExitCodes): Failure {
  // A group without a subcommand has already printed its help.
  const helped = error.code === "commander.help";
  const message = helped ? "missing command" : error.message.replace(/^error: /, "");
  const text = helped ? "" : `${escapeLines(message)}\nadd --help for usage`;
  return { exitCode: codes.usage, envelope: createEnvelope("invalid_request", message), text };
}
