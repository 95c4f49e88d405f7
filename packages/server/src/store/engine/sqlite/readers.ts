import { LRUCache } from "lru-cache";
import type { ReadTransaction } from "../engine.ts";
import type { Sql, SqlValue } from "../sql.ts";
import { openConnection, sqliteText } from "./connection.ts";
import { sqliteDialect } from "./dialect.ts";
import { computeDeadline, retryWhileLocked } from "./lock-wait.ts";
import { openThread } from "./thread.ts";

export interface Reader extends ReadTransaction {
  isBroken(): boolean;
  begin(): Promise<void>;
  end(): Promise<void>;
  close(): Promise<void>;
}

type Run = <T>(text: string, values: readonly SqlValue[]) => Promise<T[]>;

export function createReadTransaction(run: Run): ReadTransaction {
  const all = <T>(query: Sql) => run<T>(sqliteText(query), query.values);
  return { dialect: sqliteDialect, all, allCached: all, one: async <T>(query: Sql) => (await all<T>(query))[0] };
}

const versionQuery = "PRAGMA data_version";
interface VersionRow {
  data_version: number;
}

/** Reads in the main thread. It waits for locks only in `begin`, without blocking the thread. */
export async function openLocalReader(file: string): Promise<Reader> {
  const connection = await retryWhileLocked(computeDeadline(), () => openConnection(file, "read", 0));
  const cache = createAnswerCache(async (text, values) => connection.all(text, values));
  return {
    dialect: sqliteDialect,
    all: async <T>(query: Sql) => connection.all<T>(sqliteText(query), query.values),
    one: async <T>(query: Sql) => connection.one<T>(sqliteText(query), query.values),
    allCached: cache.allCached,
    async begin() {
      await retryWhileLocked(computeDeadline(), () => {
        if (!connection.db.isTransaction) connection.all("BEGIN", []);
        // This query starts the snapshot; from here on no lock is needed.
        cache.see(connection.one<VersionRow>(versionQuery, []));
      });
    },
    isBroken: () => false,
    end: async () => void connection.all("COMMIT", []),
    close: async () => connection.close(),
  };
}

export function openThreadReader(file: string): Reader {
  const thread = openThread({ file, mode: "read" });
  const cache = createAnswerCache(thread.all);
  let ending: Promise<unknown> = Promise.resolve();
  return {
    ...createReadTransaction(thread.all),
    allCached: cache.allCached,
    async begin() {
      await thread.all("BEGIN", []);
      cache.see((await thread.all<VersionRow>(versionQuery, []))[0]);
    },
    isBroken: () => thread.isBroken(),
    // No need to wait: the thread runs statements in order.
    end: async () => {
      ending = thread.all("COMMIT", []).catch(() => undefined);
    },
    close: async () => {
      await ending;
      await thread.close();
    },
  };
}

const maxCachedAnswers = 200;

/** Caches answers until another connection has written. A reading connection never writes. */
function createAnswerCache(
  run: Run,
): Pick<ReadTransaction, "allCached"> & { see(version: VersionRow | undefined): void } {
  const answers = new LRUCache<string, unknown[]>({ max: maxCachedAnswers });
  let state: number | undefined;
  return {
    see(version) {
      if (version?.data_version !== state) answers.clear();
      state = version?.data_version;
    },
    async allCached<T>(query: Sql) {
      const text = sqliteText(query);
      const key = JSON.stringify([text, query.values]);
      const held = answers.get(key);
      if (held !== undefined) return held as T[];
      const rows = await run<T>(text, query.values);
      answers.set(key, rows);
      return rows;
    },
  };
}
