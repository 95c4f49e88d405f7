import { setImmediate } from "node:timers/promises";
import { PdppError } from "@pdpp/contract/errors";
import { type Engine, requireRow } from "../engine.ts";
import { raw } from "../sql.ts";
import { postgresDialect } from "./dialect.ts";
import { isUnwritable as isUnwritableError } from "./errors.ts";
import { kinds } from "./kinds.ts";
import { createStatementNames } from "./statement-names.ts";
import { openTransactions } from "./transactions.ts";

const threadConnections = 2;

/** `isThread`: for an additional thread, which only reads and runs heavy reads itself. */
export function openPostgres(url: string, isThread = false): Engine {
  const names = createStatementNames();
  const light = openTransactions(
    url,
    isThread ? { ...kinds.heavy, connections: threadConnections } : kinds.light,
    names,
  );
  const pools = {
    light,
    heavy: isThread ? light : openTransactions(url, kinds.heavy, names),
    write: openTransactions(url, kinds.write, names),
  };
  const ready = openTransactions(url, kinds.ready, names);
  let isUnwritable = false;
  const write: Engine["write"] = async (work) => {
    try {
      const result = await pools.write.run(work);
      isUnwritable = false;
      return result;
    } catch (error) {
      if (error instanceof PdppError && isUnwritableError(error.cause)) isUnwritable = true;
      throw error;
    }
  };
  return {
    dialect: postgresDialect,
    readsInProcess: false,
    read: (work, weight = "light") => pools[weight].run(work),
    select: light.select,
    write,
    async ready(check) {
      await ready.run(check);
      // Only a write shows whether it can be written again.
      if (isUnwritable) await write((on) => on.run(raw("UPDATE meta SET value = value WHERE name = 'schema_version'")));
    },
    async size() {
      const query = raw("SELECT pg_database_size(current_database()) AS size");
      return (await light.run((on) => requireRow<{ size: number }>(on, query))).size;
    },
    // PostgreSQL grants row locks in order, so only the event loop has to be yielded to.
    yieldToWriters: () => setImmediate(),
    reclaimSpace: () => pools.write.vacuum(),
    close: async () => void (await Promise.all([...new Set([...Object.values(pools), ready])].map(({ end }) => end()))),
  };
}
