import { buildErrorEnvelope, PdppError } from "@pdpp/contract/errors";
import type { Outcome } from "./log-entry-draft.ts";

/** Answers that are sent piece by piece. Each piece is made on demand, after a check that it may still be sent. */

export interface Outgoing {
  /** Throws when the grant or session of the caller no longer holds. */
  readonly checkStillValid: () => Promise<void>;
  readonly maxAnswerMs?: number | undefined;
  /** Maps an error that occurs after the status was sent to the error for the client. */
  readonly toProblem: (error: unknown) => PdppError;
  /** Called before anything is sent. `sentBytes` counts what was sent so far. */
  readonly begin: (sentBytes: () => number) => void;
  /** Called once, with the status that the end of the answer amounts to. */
  readonly finish: (status: number, bytes: number, ending?: Outcome) => void;
}

/** A slow or endless download must not outlive a grant. */
const defaultMaxAnswerMs = 3_600_000;
/** At most the data of one interval is sent after a revocation. */
const checkEveryMs = 100;
/** How long an answer that took too long waits for its client to take the error line. */
const maxErrorLineMs = 60_000;
const linesChunkChars = 64 * 1024;

export const streamNdjson = (
  lines: AsyncIterable<object>,
  requestId: string,
  outgoing: Outgoing,
): ReadableStream<Uint8Array> => streamEncodedLines(encodeLines(lines), requestId, outgoing);

async function* encodeLines(lines: AsyncIterable<object>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let text = "";
  for await (const line of lines) {
    text += `${JSON.stringify(line)}\n`;
    if (text.length < linesChunkChars) continue;
    yield encoder.encode(text);
    text = "";
  }
  if (text !== "") yield encoder.encode(text);
}

/** Each piece is one or more whole lines of NDJSON. An error becomes the last line. */
export function streamEncodedLines(
  pieces: AsyncIterable<Uint8Array>,
  requestId: string,
  outgoing: Outgoing,
): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]();
  const source: Source = {
    async next() {
      const next = await iterator.next();
      return next.done ? undefined : next.value;
    },
    stop: async () => void (await iterator.return?.()),
    encodeError: (problem) => new TextEncoder().encode(`${JSON.stringify(buildErrorEnvelope(problem, requestId))}\n`),
  };
  return sendStream(source, 200, outgoing);
}

export function streamBytes(
  bytes: ReadableStream<Uint8Array>,
  status: number,
  outgoing: Outgoing,
): ReadableStream<Uint8Array> {
  const reader = bytes.getReader();
  const source: Source = {
    next: async () => (await reader.read()).value,
    stop: (reason) => reader.cancel(reason),
  };
  return sendStream(source, status, outgoing);
}

interface Source {
  next(): Promise<Uint8Array | undefined>;
  stop(reason?: unknown): Promise<void>;
  /** The last piece after an error. Without one the answer is cut off. */
  readonly encodeError?: (problem: PdppError) => Uint8Array;
}

type Controller = ReadableStreamDefaultController<Uint8Array>;

function sendStream(source: Source, status: number, outgoing: Outgoing): ReadableStream<Uint8Array> {
  const { checkStillValid, maxAnswerMs = defaultMaxAnswerMs, toProblem, begin, finish } = outgoing;
  const began = performance.now();
  let checked = began;
  let size = 0;
  let hasEnded = false;
  let cutOff: NodeJS.Timeout | undefined;
  const stop = (reason: unknown): void => void source.stop(reason).catch(() => undefined);
  const end = (as: number, ending?: Outcome): void => {
    if (hasEnded) return;
    hasEnded = true;
    clearTimeout(cutOff);
    finish(as, size, ending);
  };
  const check = async (): Promise<void> => {
    const now = performance.now();
    if (now - began > maxAnswerMs) throw createTimeoutError(maxAnswerMs);
    if (now - checked <= checkEveryMs) return;
    checked = now;
    await checkStillValid();
  };
  const fail = (error: unknown, controller: Controller, encodeError: Source["encodeError"]): void => {
    if (hasEnded) return;
    const problem = toProblem(error);
    const last = encodeError?.(problem);
    stop(problem);
    size += last?.byteLength ?? 0;
    end(problem.status, { code: problem.code, isCut: true });
    if (last === undefined) {
      controller.error(problem);
      return;
    }
    controller.enqueue(last);
    controller.close();
  };
  try {
    begin(() => size);
  } catch (error) {
    stop(error);
    throw error;
  }
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const cutOffMs = maxAnswerMs + Math.min(maxAnswerMs, maxErrorLineMs);
        cutOff = setTimeout(() => fail(createTimeoutError(maxAnswerMs), controller, undefined), cutOffMs).unref();
      },
      async pull(controller) {
        try {
          await check();
          const chunk = await source.next();
          if (hasEnded) return;
          if (chunk === undefined) {
            end(status);
            return controller.close();
          }
          size += chunk.byteLength;
          controller.enqueue(chunk);
        } catch (error) {
          fail(error, controller, source.encodeError);
        }
      },
      async cancel(reason) {
        end(status, { isCut: true });
        await source.stop(reason);
      },
    },
    // Nothing is made in advance: data that waits in a queue could not be withheld after a revocation.
    { highWaterMark: 0 },
  );
}

const createTimeoutError = (maxAnswerMs: number): PdppError =>
  new PdppError(
    "resource_limit",
    `an answer takes ${Math.ceil(maxAnswerMs / 60_000)} minutes at most; continue with after=<the last record received>, or for a blob with Range`,
  );
