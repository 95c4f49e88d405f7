import { fork } from "node:child_process";
import { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { createCallers } from "./callers.ts";
import { shareCompileCache } from "./compile-cache.ts";
import type { RequestMessage } from "./messages.ts";
import { formatNodeFlags } from "./node-arguments.ts";
import { type AbortReason, findAbortReason, formatLimits, type ProcessLimits } from "./process-limits.ts";

export interface ProcessOptions<Answer> {
  /** The module that the process runs; it calls `answerRequests`. */
  readonly module: URL;
  readonly limits: ProcessLimits;
  /** Answers come from a process that reads hostile files, so they are checked like any other input. */
  readonly parse: (answer: unknown) => Answer;
}

/** A process that answers requests within limits. It keeps this process alive only while it is asked something. */
export interface BoundedProcess<Request, Answer> {
  ask(request: Request): Promise<Answer>;
  hasEnded(): boolean;
  /** Stops it wherever it is; callers that wait for an answer get the error. Resolves when it has exited. */
  terminate(error: Error): Promise<void>;
}

/** The process exited while it was asked something, or before. */
export class ProcessExited extends Error {
  readonly reason: AbortReason;

  constructor(reason: AbortReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Enough for the reason why it ended. */
const maxStderrChars = 4000;

/** Parsers need no other variables; those of the vault contain credentials. */
const passedVariables = ["PATH", "TMPDIR", "TMP", "TEMP", "TZ", "LANG", "SystemRoot"];

export function startProcess<Request, Answer>(options: ProcessOptions<Answer>): BoundedProcess<Request, Answer> {
  const { module, limits, parse } = options;
  const { maxHeapMb, maxYoungMb } = limits;
  const child = fork(fileURLToPath(module), [formatLimits(limits)], {
    execArgv: formatNodeFlags([
      `--max-old-space-size=${maxHeapMb}`,
      ...(maxYoungMb === undefined ? [] : [`--max-semi-space-size=${Math.ceil(maxYoungMb / 3)}`]),
    ]),
    env: { ...pickVariables(), ...shareCompileCache() },
    // Structured clones: answers contain bytes and big integers.
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  const { stderr } = child;
  const unref = (): void => {
    child.unref();
    child.channel?.unref();
    if (stderr instanceof Socket) stderr.unref();
  };
  const send = (message: RequestMessage): void => {
    child.ref();
    child.channel?.ref();
    // If it has exited, its exit handler says so.
    if (child.connected) child.send(message, () => undefined);
  };
  const { ask, settle, fail, hasEnded } = createCallers<Request, Answer>({ send, onIdle: unref, parse });
  unref();
  let said = "";
  stderr?.on("data", (chunk: Buffer) => {
    said = `${said}${chunk.toString()}`.slice(-maxStderrChars);
  });
  child.on("message", (message) => {
    try {
      settle(message);
    } catch {
      void terminate(new ProcessExited("crashed", "the process sent something that is not an answer"));
    }
  });
  const exited = new Promise<void>((resolve) => {
    child.once("error", (error) => {
      fail(new ProcessExited("crashed", `the process could not be started: ${error.message}`));
      resolve();
    });
    child.once("close", (code, signal) => {
      fail(new ProcessExited(findAbortReason(said), describeExit(said, signal ?? `code ${code}`)));
      resolve();
    });
  });
  const terminate = async (error: Error): Promise<void> => {
    fail(error);
    child.ref();
    child.kill("SIGKILL");
    await exited;
  };
  return { ask, hasEnded, terminate };
}

function pickVariables(): NodeJS.ProcessEnv {
  const names = passedVariables.filter((name) => process.env[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, process.env[name]]));
}

/** An uncaught error is printed with its stack; its first line names it. */
function describeExit(said: string, how: string): string {
  const error = /^(?:Uncaught )?\w*Error: (.*)$/m.exec(said)?.[1];
  return error === undefined ? `the process exited unexpectedly (${how})` : `the process crashed: ${error}`;
}
