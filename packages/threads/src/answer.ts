import { parentPort, type Transferable } from "node:worker_threads";
import { type AnswerMessage, encodeError, parseRequest } from "./messages.ts";

export interface Service<Request, Answer> {
  readonly parse: (request: unknown) => Request;
  readonly answer: (request: Request) => Answer | Promise<Answer>;
  /** Buffers of the answer that are moved to the other thread instead of being copied. */
  readonly transfer?: (answer: Answer) => readonly Transferable[];
  readonly close?: () => void | Promise<void>;
}

/** Inside a thread: answers requests one after the other until it is told to close. */
export function answerRequests<Request, Answer>({ parse, answer, transfer, close }: Service<Request, Answer>): void {
  const port = parentPort;
  if (port === null) throw new Error("this module runs in a worker thread only");
  const send = (message: AnswerMessage, moved: readonly Transferable[] = []) => port.postMessage(message, [...moved]);
  const handle = async (message: unknown): Promise<void> => {
    const received = parseRequest(message);
    if (received.kind === "close") {
      await close?.();
      port.close();
      return;
    }
    const { id, request } = received;
    try {
      const given = await answer(parse(request));
      send({ kind: "answer", id, answer: given }, transfer?.(given));
    } catch (error) {
      send({ kind: "error", id, error: encodeError(error) });
    }
  };
  let last: Promise<void> = Promise.resolve();
  port.on("message", (message: unknown) => {
    last = last.then(() => handle(message));
  });
}
