import type { ReadTransaction } from "../../../packages/server/src/store/engine/engine.ts";
import type { Store } from "../../../packages/server/src/store/store.ts";

/** Wraps a store to count the statements it runs and the rows they return. */
export function countReads(store: Store): { store: Store; statements: () => number; rows: () => number } {
  let [statements, rows] = [0, 0];
  const countResult = async <T>(found: Promise<T>): Promise<T> => {
    statements += 1;
    const answer = await found;
    rows += Array.isArray(answer) ? answer.length : 1;
    return answer;
  };
  const wrapTransaction = (on: ReadTransaction): ReadTransaction => ({
    dialect: on.dialect,
    all: (query) => countResult(on.all(query)),
    one: (query) => countResult(on.one(query)),
    allCached: (query) => countResult(on.allCached(query)),
  });
  const engine: Store["engine"] = {
    ...store.engine,
    read: (work, weight) => store.engine.read((on) => work(wrapTransaction(on)), weight),
  };
  return { store: { ...store, engine }, statements: () => statements, rows: () => rows };
}
