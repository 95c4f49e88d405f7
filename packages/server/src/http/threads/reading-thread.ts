import { constants, platform, setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { PdppError } from "@pdpp/contract/errors";
import type { Input, ReadApi } from "@pdpp/contract/operations";
import { authenticate, ownerScope } from "../../auth/authenticate.ts";
import type { Disclosure } from "../../read/context.ts";
import { openStore, type StoreLocation } from "../../store/store.ts";
import { checkedInput } from "../request/request-input.ts";
import { withWarnings } from "../respond.ts";
import { createSizedReader } from "./sized-reader.ts";
import { ended, type HeavyName, parseThreadRequest, type ThreadAnswer, verdicts } from "./thread-call.ts";

/** A thread that does heavy reads from the token to the bytes of the answer, one at a time. */

type Reads = { readonly [N in HeavyName]: (reader: ReadApi, input: Input<N>) => Promise<object> };

const reads: Reads = {
  search: (reader, input) => reader.search(input),
  queryRecords: (reader, input) => reader.queryRecords(input),
  fetch: (reader, input) => reader.fetch(input),
  aggregate: (reader, input) => reader.aggregate(input),
  readField: (reader, input) => reader.readField(input),
};

const answered = <N extends HeavyName>(
  name: N,
  reader: ReadApi,
  values: ReadonlyMap<string, unknown>,
): Promise<object> => reads[name](reader, checkedInput(name, values));

async function answerTo(
  store: Awaited<ReturnType<typeof openStore>>,
  { name, bearer, values, warnings, pagesUrl, verdict }: Exclude<ReturnType<typeof parseThreadRequest>, "close">,
): Promise<ThreadAnswer> {
  const stillWanted = (): void => {
    const said = Atomics.load(verdict, 0);
    if (said !== verdicts.wanted) throw ended(said);
  };
  try {
    stillWanted();
    const scope =
      "token" in bearer ? await authenticate(store, bearer.token, Date.now()) : await ownerScope(store, bearer.ownerNo);
    const disclosures: Disclosure[] = [];
    const disclose = (disclosure: Disclosure) => void disclosures.push(disclosure);
    const answer = await answered(name, createSizedReader({ store, scope, disclose, stillWanted, pagesUrl }), values);
    stillWanted();
    return { bytes: new TextEncoder().encode(JSON.stringify(withWarnings(answer, warnings))), disclosures };
  } catch (error) {
    if (error instanceof PdppError) return { code: error.code, message: error.message, details: error.details };
    return { bug: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

// The thread that has the sockets goes first. On Linux this is about the calling thread alone; elsewhere it would be about all.
if (platform() === "linux") setPriority(constants.priority.PRIORITY_LOW);
const port = parentPort;
if (port === null) throw new Error("this is a thread of a server");
const store = await openStore(workerData as StoreLocation);
port.on("message", async (message: unknown) => {
  const request = parseThreadRequest(message);
  if (request === "close") {
    await store.close();
    port.close();
    return;
  }
  const answer = await answerTo(store, request);
  if ("bytes" in answer) port.postMessage(answer, [answer.bytes.buffer]);
  else port.postMessage(answer);
});
