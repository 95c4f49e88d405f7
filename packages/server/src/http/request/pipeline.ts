import { PdppError } from "@pdpp/contract/errors";
import { type Input, type Operation, type OperationName, operations, type ReadApi } from "@pdpp/contract/operations";
import type { OwnerApi } from "@pdpp/contract/owner";
import type { Warning } from "@pdpp/contract/wire";
import { LRUCache } from "lru-cache";
import { authenticate, bearerOfRefused, checkStillHeld } from "../../auth/authenticate.ts";
import { tokenHash } from "../../auth/tokens.ts";
import { createOwner } from "../../owner/owner.ts";
import type { Scope } from "../../store/access/scope.ts";
import type { Store } from "../../store/store.ts";
import { checkAudience, type HostPolicy } from "../hosts.ts";
import { fairQueue, oneEachTurn } from "../threads/fair-queue.ts";
import { type HeavyAnswer, type ReadingThreads, readHereOrInThread } from "../threads/reading-threads.ts";
import { createSizedReader } from "../threads/sized-reader.ts";
import { ended, verdicts } from "../threads/thread-call.ts";
import { type AccessNote, accessNote, type Ending } from "./access-note.ts";
import { type AnswerGuard, answerGuard, longestAnswerMs } from "./answer-guard.ts";
import { bearerOf, challenged } from "./bearer.ts";
import { checkClientQueries } from "./client-queries.ts";
import { requestLimiter } from "./limiter.ts";
import { paced } from "./paced.ts";
import { checkedInput } from "./request-input.ts";

/**
 * What happens to every request, whether it comes over REST or MCP: authenticate, limit, check, run, note. A surface finds out
 * what is asked, and says the answer in its own form.
 */

export interface PipelineOptions extends HostPolicy {
  readonly store: Store;
  readonly now: () => number;
  /** Whether clients may filter, expand and use views; the owner always may. */
  readonly clientQueries: boolean;
  /** How long an answer may take; an hour when left out. */
  readonly maxAnswerMs?: number | undefined;
  /** Reads that cannot be noted are refused. */
  readonly strictLog?: boolean | undefined;
  /** For heavy reads. Without any they are done here. */
  readonly threads?: ReadingThreads | undefined;
  /** The origin of the owner's pages. */
  readonly pagesUrl?: (() => string) | undefined;
  readonly onBug: (error: unknown, requestId: string) => void;
}

export interface Pipeline {
  /**
   * Authenticates and limits. `metadata` is the path where a caller without a token learns how to get one, `operation` what to note
   * of one who is refused.
   */
  admit(request: Request, requestId: string, metadata: string, operation: string): Promise<Session>;
}

/** One request of one token. */
export interface Session {
  readonly token: string;
  readonly scope: Scope;
  readonly requestId: string;
  /** Whether an answer that takes its time may go on. */
  readonly guard: AnswerGuard;
  /** What one call asks and gets: one entry in the access log. */
  open(): Exchange;
  /** The request is over and no longer counts against the limit. */
  end(): void;
}

export interface Exchange {
  /** Checks and runs an operation. One that fails is noted at once. */
  run<N extends OperationName, T>(
    asked: Asked<N>,
    work: (bound: Bound, input: Input<N>) => Promise<T>,
    fromThread: (answer: HeavyAnswer<N>) => T,
  ): Promise<T>;
  /** The answer is about to go out bit by bit; notes that. `bytes` says how much has gone. */
  sending(bytes: () => number): void;
  /** The answer is about to go out, or what began has ended; notes what was let out. */
  sent(status: number, bytes: number, ending?: Ending): void;
}

interface Asked<N extends OperationName> {
  readonly name: N;
  /** The stream that was asked for, as far as it is known before the input is checked. */
  readonly stream: string | undefined;
  readonly values: () => ReadonlyMap<string, unknown>;
  /** What is to be said with the answer, once the values are known. */
  readonly warnings?: readonly Warning[];
}

/** Whoever asks, and how it comes to its turn among others. */
interface Caller {
  readonly token: string;
  readonly key: string;
  readonly signal: AbortSignal;
  turn(): Promise<void>;
  /** Does light work, beside a few others of the same token. */
  atWork<T>(work: () => Promise<T>): Promise<T>;
  /** Before each call: the first one of a request has had its turn already. */
  begin(): Promise<void>;
}

/** What an operation works with: bound to whoever asks. */
export interface Bound {
  readonly reader: ReadApi;
  /** Of an owner's token only; a client's has none. */
  readonly owner: () => Pick<OwnerApi, "records" | "blobs">;
}

const requestsPerToken = 64;
const knownTokens = 10_000;
/** Of these, so many are at work at once: no token has all connections of the database. */
const atWorkPerToken = 6;

export function createPipeline(options: PipelineOptions): Pipeline {
  const begin = requestLimiter(requestsPerToken);
  const nextTurn = oneEachTurn();
  const working = fairQueue(Number.POSITIVE_INFINITY, atWorkPerToken);
  // Tokens that nobody knows have their turn together, however many there are.
  const known = new LRUCache<string, true>({ max: knownTokens });
  return {
    async admit(request, requestId, metadata, operation) {
      const token = bearerOf(request, options, metadata);
      const key = tokenHash(token);
      const { signal } = request;
      const turn = () => nextTurn(known.has(key) ? key : "", signal).catch(() => Promise.reject(ended(verdicts.gone)));
      const atWork = async <T>(work: () => Promise<T>): Promise<T> => {
        const permit = await working.enter(key, signal).catch(() => Promise.reject(ended(verdicts.gone)));
        return work().finally(permit.end);
      };
      const end = begin(key);
      await turn().catch((error) => {
        end();
        throw error;
      });
      try {
        const scope = await atWork(() => authenticate(options.store, token, options.now()));
        checkAudience(request, options, scope.audience);
        const stillHeld = () => checkStillHeld(options.store, token, scope, options.now());
        const guard = answerGuard(stillHeld, options.maxAnswerMs ?? longestAnswerMs);
        known.set(key, true);
        let calls = 0;
        const caller = { token, key, signal, turn, atWork, begin: async () => (calls++ === 0 ? undefined : turn()) };
        return { token, scope, requestId, guard, end, open: () => exchange(options, caller, scope, requestId, guard) };
      } catch (error) {
        end();
        await noteRefusal(options, token, operation, requestId, error);
        throw challenged(error, request, options, metadata);
      }
    },
  };
}

function exchange(
  options: PipelineOptions,
  caller: Caller,
  scope: Scope,
  requestId: string,
  guard: AnswerGuard,
): Exchange {
  const { store, now, clientQueries, threads, pagesUrl } = options;
  let note: AccessNote | undefined;
  const sent = (status: number, bytes: number, ending?: Ending): void => {
    const current = note;
    note = undefined;
    current?.done(status, bytes, ending);
  };
  return {
    sending: (bytes) => note?.begin(bytes),
    sent,
    async run({ name, stream, values, warnings = [] }, work, fromThread) {
      const current = note ?? accessNote(options, scope, name, stream, requestId);
      note = current;
      try {
        checkMay(scope, operations[name]);
        await caller.begin();
        const given = values();
        const input = checkedInput(name, given);
        checkClientQueries(input, name, scope, clientQueries);
        const isLightOnly = threads !== undefined;
        const reader = createSizedReader({
          store,
          scope,
          now,
          disclose: current.disclose,
          checkHeld: guard.check,
          isLightOnly,
          pagesUrl: pagesUrl?.(),
        });
        const paceful = { ...reader, export: (asked: Input<"export">) => paced(reader.export(asked), caller.turn) };
        const owner = () => {
          checkOwner(scope);
          const { ownerNo, connectionIds } = scope;
          return createOwner({ store, ownerNo, connectionIds, now, isLoggedByCaller: true });
        };
        const run = () => work({ reader: paceful, owner }, input);
        // What the owner sends takes as long as it takes.
        const here = () => (operations[name].audience === "owner" ? run() : caller.atWork(run));
        const { token, key, signal } = caller;
        const call = { name, bearer: { token }, values: given, warnings, pagesUrl: pagesUrl?.() };
        return await readHereOrInThread({ threads, key, signal }, call, here, (answer) => {
          for (const disclosure of answer.disclosures) current.disclose(disclosure);
          return fromThread(answer);
        });
      } catch (error) {
        const { status, code } = error instanceof PdppError ? error : { status: 500, code: "api_error" };
        sent(status, 0, { code });
        throw error;
      }
    },
  };
}

/** Who was refused, as far as the token is known; the token itself is noted nowhere. */
async function noteRefusal(
  { store, now, onBug }: PipelineOptions,
  token: string,
  operation: string,
  requestId: string,
  error: unknown,
): Promise<void> {
  // A vault that does not answer has refused nobody.
  if (!(error instanceof PdppError) || error.code === "unavailable") return;
  const { code, status } = error;
  const nothing = { connectionIds: [], stream: null, records: 0, bytes: 0 };
  try {
    const bearer = await bearerOfRefused(store, token);
    const entry = { ...bearer, ...nothing, at: now(), requestId, operation, status, kind: "refusal" as const, code };
    store.log.refuse(`${code} ${bearer.subject ?? ""}`, entry);
  } catch (fault) {
    onBug(fault, requestId);
  }
}

/** What an operation needs is asked of an owner's token; a client's may read, and what it may read its grants say. */
export function checkMay(
  scope: Pick<Scope, "tokenKind" | "may">,
  operation: Pick<Operation, "audience" | "needs">,
): void {
  if (scope.tokenKind !== "owner") {
    if (operation.audience !== "client") throw ownersOnly();
    return;
  }
  const may = scope.may ?? ["everything"];
  if (may.includes("everything") || may.includes(operation.needs)) return;
  throw new PdppError(
    "permission_error",
    `this token allows ${may.join(", ")}, not ${operation.needs}; create another with --may`,
  );
}

function checkOwner({ tokenKind }: Scope): void {
  if (tokenKind !== "owner") throw ownersOnly();
}

const ownersOnly = (): PdppError =>
  new PdppError("permission_error", "only the owner may do this; a client's token can only read");
