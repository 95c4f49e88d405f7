import { buildErrorEnvelope, type PdppError } from "@pdpp/contract/errors";
import type { Ending } from "./access-note.ts";
import type { AnswerGuard } from "./answer-guard.ts";

/** Answers that go out bit by bit: each bit is made when it is asked for, after a look at whether it may still go out. */

export interface Outgoing {
  readonly guard: AnswerGuard;
  /** What to tell of an error that comes when the status has gone out already. */
  readonly problemOf: (error: unknown) => PdppError;
  /** Called before anything goes out; `bytes` says how much has gone. */
  readonly begin: (bytes: () => number) => void;
  /** Called once, with the status that the end of the answer means and with how much went out. */
  readonly done: (status: number, bytes: number, ending?: Ending) => void;
}

const linesAtOnce = 64 * 1024;

/** Lines of JSON; an error is the last of them. */
export function ndjson(
  lines: AsyncIterable<object>,
  requestId: string,
  outgoing: Outgoing,
): ReadableStream<Uint8Array> {
  const iterator = lines[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  const source: Source = {
    async next() {
      let text = "";
      while (text.length < linesAtOnce) {
        const next = await iterator.next();
        if (next.done) return text === "" ? undefined : encoder.encode(text);
        text += `${JSON.stringify(next.value)}\n`;
      }
      return encoder.encode(text);
    },
    stop: async () => void (await iterator.return?.()),
    farewell: (problem) => encoder.encode(`${JSON.stringify(buildErrorEnvelope(problem, requestId))}\n`),
  };
  return sending(source, 200, outgoing);
}

/** Bytes of a declared length; after an error they are broken off. */
export function byteStream(
  bytes: ReadableStream<Uint8Array>,
  status: number,
  outgoing: Outgoing,
): ReadableStream<Uint8Array> {
  const reader = bytes.getReader();
  const source: Source = {
    next: async () => (await reader.read()).value,
    stop: (reason) => reader.cancel(reason),
  };
  return sending(source, status, outgoing);
}

interface Source {
  next(): Promise<Uint8Array | undefined>;
  stop(reason?: unknown): Promise<void>;
  /** The last thing that is sent when something went wrong; without one the answer is broken off. */
  readonly farewell?: (problem: PdppError) => Uint8Array;
}

function sending(
  source: Source,
  status: number,
  { guard, problemOf, begin, done }: Outgoing,
): ReadableStream<Uint8Array> {
  let size = 0;
  try {
    begin(() => size);
  } catch (error) {
    void source.stop(error).catch(() => undefined);
    throw error;
  }
  let ended = false;
  let breakOff: NodeJS.Timeout | undefined;
  const end = (as: number, ending?: Ending): void => {
    if (ended) return;
    ended = true;
    clearTimeout(breakOff);
    done(as, size, ending);
  };
  /** Before `end`: what it sends still counts. */
  const fail = (error: unknown, controller: ReadableStreamDefaultController<Uint8Array>): void => {
    const problem = problemOf(error);
    const last = source.farewell?.(problem);
    void source.stop(problem).catch(() => undefined);
    size += last?.byteLength ?? 0;
    end(problem.status, { code: problem.code, isCut: true });
    if (last === undefined) {
      controller.error(problem);
    } else {
      controller.enqueue(last);
      controller.close();
    }
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        breakOff = setTimeout(() => {
          guard.check().catch((error) => {
            const problem = problemOf(error);
            void source.stop(problem).catch(() => undefined);
            end(problem.status, { code: problem.code, isCut: true });
            controller.error(problem);
          });
        }, guard.breakOffMs).unref();
      },
      async pull(controller) {
        try {
          await guard.checkSoon();
          const chunk = await source.next();
          if (ended) return;
          if (chunk === undefined) {
            end(status);
            return controller.close();
          }
          size += chunk.byteLength;
          controller.enqueue(chunk);
        } catch (error) {
          if (!ended) fail(error, controller);
        }
      },
      async cancel(reason) {
        end(status, { isCut: true });
        await source.stop(reason);
      },
    },
    // Nothing is made in advance: what waits in a queue could not be taken back.
    { highWaterMark: 0 },
  );
}
