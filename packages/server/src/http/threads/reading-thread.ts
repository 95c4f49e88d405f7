import { constants, platform, setPriority } from "node:os";
import { workerData } from "node:worker_threads";
import { PdppError } from "@pdpp/contract/errors";
import { callRead, type JsonReadName } from "@pdpp/contract/operations";
import { answerRequests } from "@pdpp/threads/answer";
import { authenticate, loadOwnerScope } from "../../auth/authenticate.ts";
import type { Disclosure } from "../../read/context.ts";
import { openStore, type StoreLocation } from "../../store/store.ts";
import { createHttpReader, type HttpReaderOptions, readPiece } from "../http-reader.ts";
import { checkInput } from "../request/request-input.ts";
import { addWarnings } from "../respond.ts";
import type { Lane } from "./lanes.ts";
import {
  createStopError,
  type ParsedRequest,
  parseThreadRequest,
  readState,
  type ThreadAnswer,
} from "./thread-call.ts";

/** The module of a reading thread: does one heavy read at a time, from the token to the bytes of the answer. */

export interface ReadingThreadData {
  readonly location: StoreLocation;
  readonly lane: Lane;
}

type Result = Omit<Extract<ThreadAnswer, { bytes: unknown }>, "costMs">;

async function answer(request: ParsedRequest): Promise<ThreadAnswer> {
  const work = startWork();
  // On PostgreSQL, the work is done in the database, so what counts is the time.
  const getCostMs = store.engine.readsInProcess ? work.getCpuMs : work.getMs;
  try {
    return { ...(await runRead(request, work)), costMs: getCostMs() };
  } catch (error) {
    if (!(error instanceof PdppError)) throw error;
    return { code: error.code, message: error.message, details: error.details, costMs: getCostMs() };
  }
}

interface Work {
  getCpuMs(): number;
  getMs(): number;
}

function startWork(): Work {
  const [cpu, clock] = [process.threadCpuUsage(), performance.now()];
  return {
    getCpuMs() {
      const { user, system } = process.threadCpuUsage(cpu);
      return (user + system) / 1000;
    },
    getMs: () => performance.now() - clock,
  };
}

async function runRead(
  { name, bearer, values, warnings, pagesUrl, maxCpuMs, state }: ParsedRequest,
  { getCpuMs }: Work,
): Promise<Result> {
  const throwIfStopped = (): void => {
    if (getCpuMs() >= maxCpuMs) throw createStopError(readState.timedOut);
    const now = Atomics.load(state, 0);
    if (now !== readState.wanted) throw createStopError(now);
  };
  throwIfStopped();
  const scope =
    "token" in bearer
      ? await authenticate(store, bearer.token, Date.now())
      : await loadOwnerScope(store, bearer.ownerNo);
  if (name === "export") {
    const options = { store, scope, throwIfStopped, pagesUrl };
    const { bytes, disclosure, next } = await readPiece(options, checkInput(name, values));
    return { bytes, disclosures: [disclosure], ...(next === undefined ? {} : { next }) };
  }
  const disclosures: Disclosure[] = [];
  const disclose = (disclosure: Disclosure) => void disclosures.push(disclosure);
  const json = await readJson(name, values, { store, scope, disclose, throwIfStopped, pagesUrl });
  throwIfStopped();
  return { bytes: new TextEncoder().encode(JSON.stringify(addWarnings(json, warnings))), disclosures };
}

const readJson = <N extends JsonReadName>(name: N, values: ReadonlyMap<string, unknown>, options: HttpReaderOptions) =>
  callRead(createHttpReader(options), name, checkInput(name, values));

const { location, lane } = workerData as ReadingThreadData;
// The main thread has the sockets and goes first. Only on Linux does this apply to the calling thread alone.
const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority;
if (platform() === "linux") setPriority(lane === "short" ? PRIORITY_BELOW_NORMAL : PRIORITY_LOW);
const store = await openStore(location);
answerRequests({
  parse: parseThreadRequest,
  answer,
  transfer: (given: ThreadAnswer) => ("bytes" in given ? [given.bytes.buffer] : []),
  close: () => store.close(),
});
