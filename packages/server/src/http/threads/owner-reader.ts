import { mapReads, type ReadApi } from "@pdpp/contract/operations";
import { loadOwnerScope } from "../../auth/authenticate.ts";
import { tooHeavy } from "../../read/context.ts";
import type { Store } from "../../store/store.ts";
import { scaleTimeLimit } from "../../time-limits.ts";
import { createHttpReader, createLightHttpReader } from "../http-reader.ts";
import type { ReadingThreads } from "./reading-threads.ts";

/** How long a page waits for a heavy read, including its time in the queue. */
const maxWaitMs = scaleTimeLimit(30_000);

interface OwnerReaderOptions {
  readonly store: Store;
  readonly now: () => number;
  readonly threads?: ReadingThreads | undefined;
  readonly pagesUrl?: string | undefined;
}

export async function createOwnerReader(options: OwnerReaderOptions, ownerNo: number): Promise<ReadApi> {
  const { store, now, threads, pagesUrl } = options;
  const scope = await loadOwnerScope(store, ownerNo);
  const readerOptions = { store, scope, now, pagesUrl };
  if (threads === undefined) return createHttpReader(readerOptions);
  const reader = createLightHttpReader(readerOptions);
  return mapReads(async (name, input) => {
    const answer = await reader.read(name, input);
    if (answer !== tooHeavy) return answer;
    const call = { name, bearer: { ownerNo }, values: new Map(Object.entries(input)), warnings: [], pagesUrl };
    const encoded = await threads.read(call, `owner ${ownerNo}`, AbortSignal.timeout(maxWaitMs));
    return encoded.decode();
  }, reader);
}
