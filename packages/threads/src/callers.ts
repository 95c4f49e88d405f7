import { decodeError, parseAnswer, type RequestMessage } from "./messages.ts";

/** Matches the answers of a thread or a process with the requests it was sent. */
export interface Callers<Request, Answer> {
  ask(request: Request): Promise<Answer>;
  /** Call it with every message that arrives. */
  settle(message: unknown): void;
  /** Rejects every pending and every later request. */
  fail(error: unknown): void;
  hasEnded(): boolean;
}

export interface Channel<Answer> {
  readonly send: (message: RequestMessage) => void;
  /** Called when no request is pending. */
  readonly onIdle: () => void;
  readonly parse: (answer: unknown) => Answer;
}

interface Caller<Answer> {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

export function createCallers<Request, Answer>(channel: Channel<Answer>): Callers<Request, Answer> {
  const { send, onIdle, parse } = channel;
  const callers = new Map<number, Caller<Answer>>();
  let lastId = 0;
  let ended: unknown;
  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        if (ended !== undefined) return reject(ended);
        lastId += 1;
        callers.set(lastId, { resolve, reject });
        send({ kind: "request", id: lastId, request });
      }),
    settle(message) {
      const received = parseAnswer(message);
      const caller = callers.get(received.id);
      callers.delete(received.id);
      if (callers.size === 0) onIdle();
      try {
        if (received.kind === "error") throw decodeError(received.error);
        caller?.resolve(parse(received.answer));
      } catch (error) {
        caller?.reject(error);
      }
    },
    fail(error) {
      ended ??= error;
      for (const caller of callers.values()) caller.reject(ended);
      callers.clear();
    },
    hasEnded: () => ended !== undefined,
  };
}
