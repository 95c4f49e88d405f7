import { PdppError } from "@pdpp/contract/errors";
import {
  callRead,
  type Input,
  type JsonReadName,
  type OperationName,
  type Output,
  operations,
  type StreamingReads,
} from "@pdpp/contract/operations";
import type { OwnerApi } from "@pdpp/contract/owner";
import type { Warning } from "@pdpp/contract/wire";
import { createOwner } from "../../owner/owner.ts";
import { tooHeavy } from "../../read/context.ts";
import { createHttpReader, createLightHttpReader, type HttpReaderOptions } from "../http-reader.ts";
import type { EncodedAnswer, ReadingThreads } from "../threads/reading-threads.ts";
import { checkClientQueries } from "./client-queries.ts";
import { describeRequest } from "./describe-request.ts";
import { type LogEntryDraft, type Outcome, startLogEntry } from "./log-entry-draft.ts";
import { yieldBetweenLines } from "./pace.ts";
import { checkInput } from "./request-input.ts";
import { checkOwnerToken, checkRights } from "./rights.ts";
import type { Session } from "./session.ts";

/** One call of a request: it runs operations, and logs what they disclosed before the answer is sent. A failure is logged at once. */
export interface Call {
  /** Does a JSON read, here or in a reading thread. */
  read<N extends JsonReadName>(asked: RequestedOperation<N>): Promise<Output<N> | EncodedAnswer<N>>;
  run<N extends OperationName, T>(
    asked: RequestedOperation<N>,
    work: (tools: CallTools, input: Input<N>) => Promise<T>,
  ): Promise<T>;
  beginStream(sentBytes: () => number): void;
  /** Logs the call, before its answer is sent or when its stream has ended. */
  finish(status: number, bytes: number, ending?: Outcome): void;
}

export interface RequestedOperation<N extends OperationName> {
  readonly name: N;
  readonly stream: string | undefined;
  readonly values: () => ReadonlyMap<string, unknown>;
  /** For the log, also if `values` throws. Defaults to the same. */
  readonly valuesToLog?: () => ReadonlyMap<string, unknown>;
  /** Warnings about the values, complete once `values` was called. */
  readonly warnings?: readonly Warning[];
}

/** The tools of an operation, bound to the token of the request. */
export interface CallTools {
  readonly reader: StreamingReads;
  /** An export as lines of NDJSON, made in reading threads; only where there are any. */
  readonly exportPieces?: () => AsyncIterable<Uint8Array>;
  readonly owner: () => Pick<OwnerApi, "records" | "blobs" | "sources">;
}

interface Checked<N extends OperationName> {
  readonly entry: LogEntryDraft;
  readonly given: ReadonlyMap<string, unknown>;
  readonly input: Input<N>;
  readonly readerOptions: HttpReaderOptions;
}

export function startCall(session: Session): Call {
  const { options, scope, token } = session;
  const { store, now, threads } = options;
  let draft: LogEntryDraft | undefined;
  let releaseThread: () => void = () => undefined;

  let operation: OperationName | undefined;

  const finish: Call["finish"] = (...ending) => {
    const finished = draft;
    draft = undefined;
    if (finished !== undefined && operation !== undefined) options.onOperation?.(operation, getResult(ending));
    releaseThread();
    session.endStream();
    finished?.finish(...ending);
  };

  const attempt = async <N extends OperationName, T>(
    { name, stream, values, valuesToLog = values }: RequestedOperation<N>,
    work: (checked: Checked<N>) => Promise<T>,
  ): Promise<T> => {
    const isFirst = draft === undefined;
    const entry = draft ?? startLogEntry(options, scope, name, stream, session.requestId);
    draft = entry;
    operation ??= name;
    const ask = (asked: () => ReadonlyMap<string, unknown>): void => {
      // What the owner's own programs write is not a question.
      if (!isFirst || (scope.tokenKind === "owner" && operations[name].audience === "owner")) return;
      entry.ask((isListed) => describeRequest({ operation: name, values: asked(), token, isListed }));
    };
    ask(valuesToLog);
    try {
      checkRights(scope, operations[name]);
      await session.takeTurn();
      const given = values();
      ask(() => given);
      const input = checkInput(name, given);
      checkClientQueries(input, name, scope, options.clientQueries);
      const { disclose } = entry;
      const { checkStillValid } = session;
      const readerOptions: HttpReaderOptions = {
        store,
        scope,
        now,
        disclose,
        checkStillValid,
        pagesUrl: options.pagesUrl?.(),
      };
      return await work({ entry, given, input, readerOptions });
    } catch (error) {
      const { status, code } = error instanceof PdppError ? error : { status: 500, code: "api_error" };
      finish(status, 0, { code });
      throw error;
    }
  };

  return {
    read: (asked) =>
      attempt(asked, async ({ entry, given, input, readerOptions }) => {
        const { name, warnings = [] } = asked;
        if (threads === undefined)
          return session.limitWork(() => callRead(createHttpReader(readerOptions), name, input));
        const answer = await session.limitWork(() => createLightHttpReader(readerOptions).read(name, input));
        if (answer !== tooHeavy) return answer;
        const { pagesUrl } = readerOptions;
        const call = { name, bearer: { token }, values: given, warnings, pagesUrl };
        const encoded = await threads.read(call, session.key, session.signal);
        for (const disclosure of encoded.disclosures) entry.disclose(disclosure);
        releaseThread = encoded.release;
        return encoded;
      }),
    run: (asked, work) =>
      attempt(asked, ({ entry, given, input, readerOptions }) => {
        const runHere = () => work(createTools(session, readerOptions, entry, given), input);
        // The uploads of an owner take as long as they take.
        return operations[asked.name].audience === "owner" ? runHere() : session.limitWork(runHere);
      }),
    beginStream(sentBytes) {
      draft?.begin(sentBytes);
      session.beginStream();
    },
    finish,
  };
}

function createTools(
  session: Session,
  readerOptions: HttpReaderOptions,
  entry: LogEntryDraft,
  given: ReadonlyMap<string, unknown>,
): CallTools {
  const { readBlob, export: exportRecords } = createHttpReader(readerOptions);
  const { threads } = session.options;
  return {
    ...(threads === undefined ? {} : { exportPieces: () => readPieces(session, threads, entry, given) }),
    reader: { readBlob, export: (input) => yieldBetweenLines(exportRecords(input), session.waitForTurn) },
    owner: () => {
      const { scope } = session;
      checkOwnerToken(scope);
      const { store, now } = session.options;
      const { ownerNo, connectionIds } = scope;
      return createOwner({ store, ownerNo, connectionIds, now, isLoggedByCaller: true });
    },
  };
}

const getResult = ([status, , ending]: Parameters<Call["finish"]>): string =>
  ending?.code ?? (status < 400 ? "ok" : String(status));

/** Each piece is a separate read, so that tokens take turns and a slow client holds no thread. */
async function* readPieces(
  { token, key, signal, waitForTurn }: Session,
  threads: ReadingThreads,
  { disclose }: LogEntryDraft,
  given: ReadonlyMap<string, unknown>,
): AsyncGenerator<Uint8Array> {
  let values = given;
  for (;;) {
    await waitForTurn();
    const call = { name: "export" as const, bearer: { token }, values, warnings: [] };
    const { bytes, disclosures, next } = await threads.readPiece(call, key, signal);
    for (const disclosure of disclosures) disclose(disclosure);
    if (bytes.byteLength > 0) yield bytes;
    if (next === undefined) return;
    values = new Map([...given, ["after", next]]);
  }
}
