import type { Sql } from "../sql.ts";
import { openConnection, type SqliteConnection, sqliteText } from "./connection.ts";

/** Reads values again only after another connection has written, through a connection that never writes. */
export interface Watcher {
  /** Returns undefined while the value cannot be read. */
  watch(query: Sql): () => string | undefined;
  close(): void;
}

/** Counts the commits of all other connections, of any process. */
const versionQuery = "PRAGMA data_version";

export function createWatcher(file: string): Watcher {
  let connection: SqliteConnection | undefined;
  let isClosed = false;
  const getConnection = (): SqliteConnection => {
    if (isClosed) throw new Error("the vault is closed");
    // It must not wait: callers have another way to find out.
    connection ??= openConnection(file, "read", 0);
    return connection;
  };
  return {
    watch(query) {
      const text = sqliteText(query);
      let seen: { readonly version: number; readonly value: string | undefined } | undefined;
      return () => {
        try {
          const on = getConnection();
          // Asked before the value, so that a commit between the two is noticed the next time.
          const version = on.one<{ data_version: number }>(versionQuery, [])?.data_version;
          if (version === undefined) return undefined;
          if (seen?.version !== version)
            seen = { version, value: on.one<{ value: string }>(text, query.values)?.value };
          return seen.value;
        } catch {
          seen = undefined;
          return undefined;
        }
      };
    },
    close() {
      isClosed = true;
      connection?.close();
    },
  };
}
