import { parentPort, type Transferable } from "node:worker_threads";
import { lowerPriority } from "./lower-priority.ts";
import { type AnswerMessage, encodeError, parseRequest } from "./messages.ts";
import { abortMarks, parseLimits } from "./process-limits.ts";
import { startWatchdog } from "./watchdog.ts";

export interface Service<Request, Answer> {
  readonly parse: (request: unknown) => Request;
  readonly answer: (request: Request) => Answer | Promise<Answer>;
  /** Buffers of the answer that are moved to the other thread instead of being copied. */
  readonly transfer?: (answer: Answer) => readonly Transferable[];
  readonly close?: () => void | Promise<void>;
}

/** The side of the thread or process that answers. */
interface Port {
  send(message: AnswerMessage, moved: readonly Transferable[]): void;
  listen(receive: (message: unknown) => void): void;
  close(): void;
  /** Calls around each request. */
  begin(): void;
  end(): void;
}

/** Inside a thread or a bounded process: answers requests in order until it is closed. */
export function answerRequests<Request, Answer>({ parse, answer, transfer, close }: Service<Request, Answer>): void {
  const port = parentPort === null ? openProcessPort() : openThreadPort(parentPort);
  const handle = async (message: unknown): Promise<void> => {
    const received = parseRequest(message);
    if (received.kind === "close") {
      await close?.();
      port.close();
      return;
    }
    const { id, request } = received;
    port.begin();
    try {
      const given = await answer(parse(request));
      port.send({ kind: "answer", id, answer: given }, transfer?.(given) ?? []);
    } catch (error) {
      port.send({ kind: "error", id, error: encodeError(error) }, []);
    }
    port.end();
  };
  let last: Promise<void> = Promise.resolve();
  port.listen((message) => {
    last = last.then(() => handle(message));
  });
}

const openThreadPort = (port: NonNullable<typeof parentPort>): Port => ({
  send: (message, moved) => port.postMessage(message, [...moved]),
  listen: (receive) => void port.on("message", receive),
  close: () => port.close(),
  begin: () => undefined,
  end: () => undefined,
});

function openProcessPort(): Port {
  const { maxMemoryMb, maxTaskMs } = parseLimits(process.argv[2]);
  const { begin, end } = startWatchdog({ maxMemoryMb, maxTaskMs, parentPid: process.ppid, messages: abortMarks });
  lowerPriority();
  // Ctrl-C and service managers signal the whole group. The process that started this one decides when it ends.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
  process.on("disconnect", () => process.exit());
  return {
    send: (message) => void process.send?.(message),
    listen: (receive) => void process.on("message", receive),
    close: () => process.disconnect?.(),
    begin,
    end,
  };
}
