import { readdirSync, readFileSync } from "node:fs";
import pg from "pg";
import type { Engine, ReadTransaction } from "#server/store/engine/engine";
import { type Sql, sql } from "#server/store/engine/sql";
import type { Store } from "#server/store/store";

/** What reads cost in PostgreSQL. */

/** The CPU time of all processes of a local server so far, in microseconds. */
export async function createDatabaseCpuCounter(databaseUrl: string): Promise<() => number> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  const postmaster = readParent(rows[0]!.pid);
  await client.end();
  const processes = new Map<string, number>();
  return () => {
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      try {
        if (readParent(Number(pid)) !== postmaster) continue;
        processes.set(pid, Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1000);
      } catch {
        // The process has ended.
      }
    }
    return [...processes.values()].reduce((sum, each) => sum + each, 0);
  };
}

const readParent = (pid: number): number =>
  Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);

export interface DiskUse {
  readonly what: string;
  readonly bytes: number;
}

/** What takes space in the database, largest first; small tables together. */
export async function measureDisk(databaseUrl: string): Promise<DiskUse[]> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    const { rows } = await client.query<DiskUse>(`SELECT what, sum(bytes)::float8 AS bytes FROM (
      SELECT CASE WHEN t.relname = 'search_chunk' THEN 'the word index' WHEN t.relname LIKE 'long\\_%' THEN 'long texts'
        WHEN t.relname ~ '^r_' AND c.relkind = 'i' THEN 'indexes of records' WHEN t.relname ~ '^r_' THEN 'records' ELSE 'other' END AS what,
        pg_relation_size(c.oid) AS bytes
      FROM pg_class AS c LEFT JOIN pg_index AS x ON x.indexrelid = c.oid
        LEFT JOIN pg_class AS toasted ON toasted.reltoastrelid = COALESCE(x.indrelid, c.oid)
        JOIN pg_class AS t ON t.oid = COALESCE(toasted.oid, x.indrelid, c.oid)
      WHERE c.relkind IN ('r', 'i', 't') AND t.relnamespace = 'public'::regnamespace) AS parts GROUP BY what ORDER BY 2 DESC`);
    return rows;
  } finally {
    await client.end();
  }
}

export interface ReadWork {
  statements: number;
  /** Pages that the statements looked at, in memory or not. */
  buffers: number;
}

interface Plan {
  readonly "Shared Hit Blocks": number;
  readonly "Shared Read Blocks": number;
}

/** A store that counts the statements of its reads, and the pages they look at. Each is run once more to explain it. */
export function createCountingStore(store: Store): { readonly store: Store; take(): ReadWork } {
  let work: ReadWork = { statements: 0, buffers: 0 };
  const count = async (on: ReadTransaction, query: Sql): Promise<void> => {
    const [row] = await on.all<{ "QUERY PLAN": [{ Plan: Plan }] }>(
      sql`EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ${query}`,
    );
    const { Plan: plan } = row!["QUERY PLAN"][0];
    work.statements += 1;
    work.buffers += plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
  };
  const counting = (on: ReadTransaction): ReadTransaction => ({
    ...on,
    all: <T>(query: Sql) => count(on, query).then(() => on.all<T>(query)),
    one: <T>(query: Sql) => count(on, query).then(() => on.one<T>(query)),
    allCached: <T>(query: Sql) => count(on, query).then(() => on.allCached<T>(query)),
  });
  const engine: Engine = {
    ...store.engine,
    read: (read, weight) => store.engine.read((on) => read(counting(on)), weight),
    select: <T>(query: Sql) => store.engine.read((on) => counting(on).all<T>(query)),
  };
  return {
    store: { ...store, engine },
    take() {
      const taken = work;
      work = { statements: 0, buffers: 0 };
      return taken;
    },
  };
}
