import type { ReadApi } from "@pdpp/contract/operations";
import { ownerScope } from "../../auth/authenticate.ts";
import type { Store } from "../../store/store.ts";
import { readerThrough } from "./reader-through.ts";
import { type ReadingThreads, readHereOrInThread } from "./reading-threads.ts";
import { createSizedReader } from "./sized-reader.ts";

/** How long a page waits for a heavy read, its turn included. */
const maxWaitMs = 30_000;

/** Reads for an owner's pages: everything the owner has, with heavy reads in the reading threads. */
export async function ownerReader(
  {
    store,
    now,
    threads,
    pagesUrl,
  }: {
    readonly store: Store;
    readonly now: () => number;
    readonly threads?: ReadingThreads | undefined;
    readonly pagesUrl?: string | undefined;
  },
  ownerNo: number,
): Promise<ReadApi> {
  const scope = await ownerScope(store, ownerNo);
  const reader = createSizedReader({ store, scope, now, pagesUrl, isLightOnly: threads !== undefined });
  return readerThrough((name, input, work) =>
    readHereOrInThread(
      { threads, key: `owner ${ownerNo}`, signal: AbortSignal.timeout(maxWaitMs) },
      { name, bearer: { ownerNo }, values: new Map(Object.entries(input)), warnings: [], pagesUrl },
      () => work(reader, input),
      (answer) => answer.value(),
    ),
  );
}
