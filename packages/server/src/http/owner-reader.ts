import type { ReadApi } from "@pdpp/contract/operations";
import { ownerScope } from "../auth/authenticate.ts";
import { HandOver } from "../read/context.ts";
import { createReader } from "../read/reader.ts";
import type { Store } from "../store/store.ts";
import type { ReadingThreads } from "./reading-threads.ts";
import type { HeavyName } from "./thread-call.ts";

/** A page that nobody waits for any more asks for nothing. */
const patienceMs = 30_000;

/** Reads for an owner's pages: all that the owner has, with what is heavy done by the threads for that, as for everybody. */
export async function ownerReader(
  {
    store,
    now,
    threads,
  }: { readonly store: Store; readonly now: () => number; readonly threads?: ReadingThreads | undefined },
  ownerNo: number,
): Promise<ReadApi> {
  const reader = createReader({
    store,
    scope: await ownerScope(store, ownerNo),
    now,
    isLightOnly: threads !== undefined,
  });
  if (threads === undefined) return reader;
  const handed = async <T>(name: HeavyName, input: object, here: () => Promise<T>): Promise<T> => {
    try {
      return await here();
    } catch (error) {
      if (!(error instanceof HandOver)) throw error;
      const call = { name, bearer: { ownerNo }, values: new Map(Object.entries(input)), warnings: [] };
      const answer = await threads.read(call, `owner ${ownerNo}`, AbortSignal.timeout(patienceMs));
      try {
        return JSON.parse(new TextDecoder().decode(answer.bytes));
      } finally {
        answer.end();
      }
    }
  };
  return {
    ...reader,
    search: (input) => handed("search", input, () => reader.search(input)),
    queryRecords: (input) => handed("queryRecords", input, () => reader.queryRecords(input)),
    fetch: (input) => handed("fetch", input, () => reader.fetch(input)),
    aggregate: (input) => handed("aggregate", input, () => reader.aggregate(input)),
    readField: (input) => handed("readField", input, () => reader.readField(input)),
  };
}
