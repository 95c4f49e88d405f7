import type { Json } from "@pdpp/contract/declaration";
import type { CollectedRecord, RunError, RunReport, RunResult, SkippedPart } from "@pdpp/contract/sources";
import type { Checkpoints } from "../protocol/checkpoints.ts";
import { DetailAccounts } from "../protocol/details.ts";
import type { ConnectorMessage, DoneMessage, RecoveryHint, SkipMessage } from "../protocol/messages.ts";
import type { Scope } from "../protocol/scope.ts";
import { ProtocolViolation } from "../protocol/violation.ts";
import type { SecretMask } from "./masking.ts";

/** More are counted, but not kept. */
const maxSkipped = 100;
const maxCursorChars = 1024 * 1024;
const streamFailure = "stream_collection_failed";

/** Checks the messages of one run in their order and keeps what its result depends on. */
export class RunSession {
  readonly #scope: Scope;
  readonly #checkpoints: Checkpoints;
  readonly #details: DetailAccounts;
  readonly #mask: SecretMask;
  readonly #cursors = new Map<string, Json>();
  readonly #skipped: SkippedPart[] = [];
  readonly #failedStreams = new Set<string>();
  #records = 0;
  #hasMore = false;
  #done: DoneMessage | undefined;

  constructor(scope: Scope, checkpoints: Checkpoints, mask: SecretMask) {
    this.#scope = scope;
    this.#checkpoints = checkpoints;
    this.#details = new DetailAccounts(checkpoints);
    this.#mask = mask;
  }

  get done(): DoneMessage | undefined {
    return this.#done;
  }

  /** Checks a message and keeps what the end of the run depends on. Returns the record to store, if it is one. */
  accept(message: ConnectorMessage, line: string): CollectedRecord | undefined {
    if (this.#done !== undefined) throw new ProtocolViolation(`sent ${message.type} after DONE`);
    switch (message.type) {
      case "RECORD":
        this.#scope.checkRecord(message);
        this.#records += 1;
        return { stream: message.stream, data: message.data, line };
      case "STATE":
        this.#stage(message.stream, message.cursor, line);
        break;
      case "SKIP_RESULT":
        this.#skip(message);
        break;
      case "DETAIL_COVERAGE":
        this.#scope.requireStream(message.stream, message.type);
        this.#scope.requireStream(message.state_stream, message.type);
        this.#details.addCoverage(message);
        break;
      case "DETAIL_GAP":
        this.#scope.requireStream(message.stream, message.type);
        this.#details.addGap(message);
        break;
      case "DONE":
        if (message.records_emitted !== this.#records)
          throw new ProtocolViolation(`reported ${message.records_emitted} records in DONE, but sent ${this.#records}`);
        this.#done = message;
    }
    return undefined;
  }

  #stage(stream: string, cursor: Json, line: string): void {
    this.#scope.requireStream(stream, "STATE");
    if (!this.#checkpoints.isCheckpoint(stream))
      throw new ProtocolViolation(`sent STATE for ${stream}, which another stream's cursor covers`);
    if (line.length > maxCursorChars) throw new ProtocolViolation("sent a cursor of more than 1 MiB");
    if (this.#mask.isIn(line)) throw new ProtocolViolation("sent a secret in STATE");
    this.#cursors.set(stream, cursor);
  }

  #skip({ stream, reason, message, continuation }: SkipMessage): void {
    if (continuation != null) {
      this.#hasMore = true;
      return;
    }
    if (stream != null && this.#scope.has(stream) && reason === streamFailure) this.#failedStreams.add(stream);
    if (this.#skipped.length >= maxSkipped) return;
    this.#skipped.push({
      ...(stream == null ? {} : { stream: this.#mask.clean(stream, 200) }),
      reason: this.#mask.clean(reason ?? "unknown", 100),
      ...(message == null ? {} : { message: this.#mask.clean(message) }),
    });
  }

  /** The result of a run whose process ended with this code; null if it had to be ended. */
  conclude(exitCode: number | null, stderr: string): RunResult {
    const done = this.#done;
    if (done === undefined) {
      const reason = this.#mask.clean(pickReason(stderr));
      const said = reason === "" ? "" : `: ${reason}`;
      const message = `the connector ended without DONE (exit code ${exitCode ?? "none"})${said}`;
      return this.fail({ code: "connector_crashed", message, is_retryable: true });
    }
    if (exitCode !== null && (exitCode === 0) !== (done.status === "succeeded")) {
      const message = `the connector ended with exit code ${exitCode} after DONE ${done.status}`;
      return this.fail({ code: "protocol_violation", message, is_retryable: false });
    }
    const failed = done.status === "failed" ? this.#listUncoveredStreams(done) : [];
    const canSave = done.status === "succeeded" || failed.length > 0;
    const incomplete = this.#details.listIncomplete((stream) => this.#scope.has(stream));
    for (const stream of failed) for (const parent of this.#checkpoints.getParents(stream)) incomplete.add(parent);
    const saved = canSave ? [...this.#cursors].filter(([stream]) => !incomplete.has(stream)) : [];
    const withheld = canSave ? [...this.#cursors.keys()].filter((stream) => incomplete.has(stream)) : [];
    const error = done.status === "failed" ? this.#describeError(done) : undefined;
    return {
      status: done.status,
      cursors: Object.fromEntries(saved),
      report: { ...this.#report(), ...(error && { error }), ...(withheld.length > 0 && { withheld }) },
    };
  }

  /** Streams that failed alone, if the connector certified that the others are complete. */
  #listUncoveredStreams({ error }: DoneMessage): string[] {
    return error?.code === streamFailure ? [...this.#failedStreams] : [];
  }

  #describeError({ error }: DoneMessage): RunError {
    const recovery = readAction(error?.recovery_hint);
    return {
      code: error?.code ?? "failed",
      message: this.#mask.clean(error?.message ?? "the connector reported a failure without a reason"),
      is_retryable: error?.retryable ?? false,
      ...(recovery && { recovery }),
    };
  }

  /** A violation after a failure saves no cursor either, and the failure says more. */
  breakOff(violation: ProtocolViolation): RunResult {
    const done = this.#done;
    if (done?.status === "failed") return this.fail(this.#describeError(done));
    const message = `the connector ${this.#mask.clean(violation.message)}`;
    return this.fail({ code: "protocol_violation", message, is_retryable: false });
  }

  fail(error: RunError): RunResult {
    return { status: "failed", cursors: {}, report: { ...this.#report(), error } };
  }

  cancel(): RunResult {
    return { status: "cancelled", cursors: {}, report: this.#report() };
  }

  #report(): RunReport {
    const { gaps } = this.#details;
    return {
      ...(this.#skipped.length > 0 && { skipped: this.#skipped }),
      ...(Object.keys(gaps).length > 0 && { gaps }),
      ...(this.#hasMore && { has_more: true }),
    };
  }
}

/** The line that names the error, without the stack. */
function pickReason(stderr: string): string {
  const lines = stderr.split("\n").map((line) => line.trim());
  return lines.findLast((line) => /^\w*Error\b/.test(line)) ?? stderr.trim().slice(-500);
}

const readAction = (hint: RecoveryHint | null | undefined): string | undefined =>
  typeof hint === "object" ? hint?.action : hint;
