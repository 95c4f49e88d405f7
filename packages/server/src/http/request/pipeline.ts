import { PdppError } from "@pdpp/contract/errors";
import { LRUCache } from "lru-cache";
import { authenticate, checkStillValid, findRefusedBearer } from "../../auth/authenticate.ts";
import { hashToken } from "../../auth/tokens.ts";
import type { Scope } from "../../store/access/scope.ts";
import type { Store } from "../../store/store.ts";
import { checkAudience, type HostPolicy } from "../hosts.ts";
import { createFairQueue, createTurnQueue } from "../threads/fair-queue.ts";
import type { ReadingThreads } from "../threads/reading-threads.ts";
import { createDisconnectError } from "../threads/thread-call.ts";
import { addChallenge, parseBearer } from "./bearer.ts";
import { createRequestLimiter } from "./limiter.ts";
import { createSession, type Session } from "./session.ts";

export interface PipelineOptions extends HostPolicy {
  readonly store: Store;
  readonly now: () => number;
  /** Whether clients may filter, expand and use views; the owner always may. */
  readonly clientQueries: boolean;
  readonly maxAnswerMs?: number | undefined;
  readonly strictLog?: boolean | undefined;
  readonly threads?: ReadingThreads | undefined;
  readonly pagesUrl?: (() => string) | undefined;
  readonly onBug: (error: unknown, requestId: string) => void;
  /** Counts an operation by its result: `ok` or an error code. */
  readonly onOperation?: ((operation: string, result: string) => void) | undefined;
}

interface Surface {
  /** The path that tells a caller without a token how to get one. */
  readonly metadata: string;
  readonly operation: string;
  /** Whether the token may be sent as a password. */
  readonly takesPassword?: boolean;
  readonly toRefusal?: (error: unknown) => unknown;
}

/** The common path of REST and MCP: authenticate, limit, check, run, log. */
export interface Pipeline {
  admit(request: Request, requestId: string, surface: Surface): Promise<Session>;
  handle(
    request: Request,
    requestId: string,
    surface: Surface,
    answer: (session: Session) => Promise<Response>,
  ): Promise<Response>;
}

const maxRequestsPerToken = 64;
const maxKnownTokens = 10_000;
/** How many requests of a token work at once, so that no token takes every database connection. */
const maxWorkPerToken = 6;

export function createPipeline(options: PipelineOptions): Pipeline {
  const { store, now } = options;
  const countRequest = createRequestLimiter(maxRequestsPerToken);
  const turns = createTurnQueue();
  const work = createFairQueue(Number.POSITIVE_INFINITY, maxWorkPerToken);
  // Unknown tokens share one turn, however many there are.
  const known = new LRUCache<string, true>({ max: maxKnownTokens });

  const admit: Pipeline["admit"] = async (request, requestId, surface) => {
    const { metadata, operation, toRefusal = (error) => error } = surface;
    const token = parseBearer(request, options, surface);
    const key = hashToken(token);
    const { signal } = request;
    const throwIfGone = (): void => {
      if (signal.aborted) throw createDisconnectError();
    };
    const waitForTurn = async (): Promise<void> => {
      throwIfGone();
      if (!turns.tryTake()) await rejectOnDisconnect(turns.wait(known.has(key) ? key : "", signal));
    };
    const limitWork = async <T>(task: () => Promise<T>): Promise<T> => {
      throwIfGone();
      const permit = work.tryEnter(key) ?? (await rejectOnDisconnect(work.enter(key, signal)));
      try {
        return await task();
      } finally {
        permit.release();
      }
    };
    const release = countRequest(key);
    const authorize = async (): Promise<Scope> => {
      const scope = await limitWork(() => authenticate(store, token, now()));
      checkAudience(request, options, scope.audience);
      return scope;
    };
    const refuse = async (error: unknown): Promise<never> => {
      options.onOperation?.(operation, error instanceof PdppError ? error.code : "api_error");
      await logRefusal(options, token, operation, requestId, error);
      throw addChallenge(await toRefusal(error), request, options, metadata);
    };
    try {
      await waitForTurn();
      const scope = await authorize().catch(refuse);
      known.set(key, true);
      const admitted = { options, requestId, token, scope, key, signal, waitForTurn, limitWork };
      return createSession(
        { ...admitted, checkStillValid: () => checkStillValid(store, token, scope, now()) },
        release,
      );
    } catch (error) {
      release();
      throw error;
    }
  };

  return {
    admit,
    async handle(request, requestId, surface, answer) {
      const session = await admit(request, requestId, surface);
      try {
        return await answer(session);
      } finally {
        session.end();
      }
    },
  };
}

const rejectOnDisconnect = <T>(waiting: Promise<T>): Promise<T> =>
  waiting.catch(() => Promise.reject(createDisconnectError()));

/** Logs who was refused, as far as the token tells. The token itself is never logged. */
async function logRefusal(
  { store, now, onBug }: PipelineOptions,
  token: string,
  operation: string,
  requestId: string,
  error: unknown,
): Promise<void> {
  // An unavailable vault is not a refusal.
  if (!(error instanceof PdppError) || error.code === "unavailable") return;
  const { code, status } = error;
  const nothing = { connectionIds: [], stream: null, records: 0, bytes: 0 };
  try {
    const bearer = await findRefusedBearer(store, token);
    const entry = { ...bearer, ...nothing, at: now(), requestId, operation, status, kind: "refusal" as const, code };
    store.log.refuse(`${code} ${bearer.subject ?? ""}`, entry);
  } catch (bug) {
    onBug(bug, requestId);
  }
}
