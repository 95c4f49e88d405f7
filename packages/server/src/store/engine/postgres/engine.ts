import { setImmediate } from "node:timers/promises";
import { PdppError } from "@pdpp/contract/errors";
import pg from "pg";
import { scaleTimeLimit } from "../../../time-limits.ts";
import { type ColumnType, type Engine, type ReadTransaction, requireRow, type WriteTransaction } from "../engine.ts";
import { raw, render, type Sql } from "../sql.ts";
import { postgresDialect } from "./dialect.ts";
import { isLostConnection, isUnwritable as isUnwritableError, translateError } from "./errors.ts";

const int8Oid = 20;
/** Our integers (versions, counts, sizes) stay well below 2^53. */
const types = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    oid === int8Oid ? Number : pg.types.getTypeParser(oid, format as "text"),
} as pg.CustomTypesConfig;

const arrayTypes: Record<ColumnType, string> = {
  text: "text[]",
  number: "float8[]",
  integer: "bigint[]",
  bytes: "bytea[]",
};

/** Each kind of work has its own pool, so that none starves the others. */
interface PoolOptions {
  readonly connections: number;
  readonly begin: string;
  /** Timeout of one statement, enforced by the server. */
  readonly statementMs: number;
  /** Timeout for getting a connection. */
  readonly connectMs: number;
}

const readOnly = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
const maxReadMs = scaleTimeLimit(15_000);
const maxReadyMs = scaleTimeLimit(2000);
const kinds = {
  light: { connections: 8, begin: readOnly, statementMs: maxReadMs, connectMs: scaleTimeLimit(10_000) },
  heavy: { connections: 3, begin: readOnly, statementMs: maxReadMs, connectMs: scaleTimeLimit(30_000) },
  // Creating an index over millions of records is one statement.
  write: { connections: 4, begin: "BEGIN", statementMs: 30 * 60_000, connectMs: scaleTimeLimit(20_000) },
  ready: { connections: 1, begin: readOnly, statementMs: maxReadyMs, connectMs: maxReadyMs },
} satisfies Record<string, PoolOptions>;

/** How long a write waits for a lock, and how long the server keeps an idle transaction open. */
const lockTimeoutMs = scaleTimeLimit(20_000);
const idleTimeoutMs = scaleTimeLimit(60_000);
/** Our timeout exceeds the server's by this much, in case the server is gone. */
const networkGraceMs = 5000;

const threadConnections = 2;

/** `isThread`: for an additional thread, which only reads and runs heavy reads itself. */
export function openPostgres(url: string, isThread = false): Engine {
  const light = openPool(url, isThread ? { ...kinds.light, connections: threadConnections } : kinds.light);
  const pools = { light, heavy: isThread ? light : openPool(url, kinds.heavy), write: openPool(url, kinds.write) };
  const ready = openPool(url, kinds.ready);
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
    write,
    async ready() {
      await ready.run(async (on) => void (await on.one(raw("SELECT 1 AS one"))));
      // Only a write shows whether it can be written again.
      if (isUnwritable) await write((on) => on.run(raw("UPDATE meta SET value = value WHERE name = 'schema_version'")));
    },
    size: () =>
      pools.light.run(async (on) => {
        const { size } = await requireRow<{ size: number }>(
          on,
          raw("SELECT pg_database_size(current_database()) AS size"),
        );
        return size;
      }),
    // PostgreSQL grants row locks in order, so only the event loop has to be yielded to.
    yieldToWriters: () => setImmediate(),
    reclaimSpace: () => pools.write.vacuum(),
    close: async () => void (await Promise.all([...new Set([...Object.values(pools), ready])].map(({ end }) => end()))),
  };
}

interface Transactions {
  run<T>(work: (on: WriteTransaction) => Promise<T>): Promise<T>;
  vacuum(): Promise<void>;
  end(): Promise<void>;
}

function openPool(url: string, kind: PoolOptions): Transactions {
  const pool = new pg.Pool({
    connectionString: url,
    max: kind.connections,
    types,
    connectionTimeoutMillis: kind.connectMs,
    query_timeout: kind.statementMs + networkGraceMs,
    keepAlive: true,
  });
  // The pool replaces a connection that the server drops, and its next statement fails. Without a listener the error would end the
  // process.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  const isWriting = kind.begin === kinds.write.begin;
  // Set within the transaction, because a pooler between us and the server may not keep sessions.
  const begin = `${kind.begin}; SET LOCAL statement_timeout = ${kind.statementMs}; SET LOCAL lock_timeout = ${lockTimeoutMs};
    SET LOCAL idle_in_transaction_session_timeout = ${idleTimeoutMs}`;

  /** A connection that was lost while idle fails at its first statement, and is replaced. */
  const beginTransaction = async (): Promise<pg.PoolClient> => {
    for (let triesLeft = kind.connections; ; triesLeft -= 1) {
      const client = await pool.connect();
      try {
        await client.query(begin);
        return client;
      } catch (error) {
        client.release(true);
        if (triesLeft === 0 || !isLostConnection(error)) throw error;
      }
    }
  };
  const runTransaction = async <T>(work: (on: WriteTransaction) => Promise<T>): Promise<T> => {
    const client = await beginTransaction();
    const statements = createStatementQueue(client);
    let result: T;
    try {
      result = await work(createWriteTransaction(statements.run));
      if (isWriting) await statements.end("COMMIT");
    } catch (error) {
      const brokenBy = await statements.end("ROLLBACK").then(
        () => undefined,
        (failure: Error) => failure,
      );
      client.release(brokenBy);
      throw error;
    }
    if (isWriting) client.release();
    // The caller of a read does not wait for its COMMIT.
    else
      statements.end("COMMIT").then(
        () => client.release(),
        (failure: Error) => client.release(failure),
      );
    return result;
  };
  return {
    async run(work) {
      try {
        return await runTransaction(work);
      } catch (error) {
        throw translateError(error, isWriting);
      }
    },
    async vacuum() {
      try {
        await pool.query("VACUUM");
      } catch (error) {
        throw translateError(error, isWriting);
      }
    },
    end: () => pool.end(),
  };
}

type RunStatement = (text: string, values: readonly unknown[]) => Promise<pg.QueryResult>;

interface StatementQueue {
  readonly run: RunStatement;
  /** Runs the last statement of the transaction; later ones are rejected. */
  end(statement: "COMMIT" | "ROLLBACK"): Promise<void>;
}

/**
 * Sends statements one at a time: `pg` deprecates a query that is sent while another one runs. A caller that was cancelled may still
 * send statements after its transaction has ended. They must not reach the connection, which may belong to another transaction by then.
 */
function createStatementQueue(client: pg.PoolClient): StatementQueue {
  let last: Promise<unknown> = Promise.resolve();
  let hasEnded = false;
  const enqueue: RunStatement = (text, values) => {
    const result = last.then(() => client.query(text, [...values]));
    last = result.catch(() => undefined);
    return result;
  };
  return {
    run: (text, values) => (hasEnded ? Promise.reject(new Error("the transaction has ended")) : enqueue(text, values)),
    async end(statement) {
      hasEnded = true;
      await enqueue(statement, []);
    },
  };
}

const renderPostgres = (query: Sql): string => render(query, (n) => `$${n}`);

function createReadTransaction(run: RunStatement): ReadTransaction {
  const all = async <T>(query: Sql): Promise<T[]> => (await run(renderPostgres(query), query.values)).rows;
  return { dialect: postgresDialect, all, allCached: all, one: async <T>(query: Sql) => (await all<T>(query))[0] };
}

function createWriteTransaction(run: RunStatement): WriteTransaction {
  return {
    ...createReadTransaction(run),
    run: async (query) => (await run(renderPostgres(query), query.values)).rowCount ?? 0,
    async insert(table, columns, rows) {
      if (rows.length === 0) return;
      const names = columns.map((column) => column.name).join(", ");
      const arrays = columns.map((column, i) => `$${i + 1}::${arrayTypes[column.type]}`).join(", ");
      const text = `INSERT INTO ${table} (${names}) SELECT * FROM unnest(${arrays})`;
      await run(
        text,
        columns.map((_, i) => rows.map((row) => row[i])),
      );
    },
  };
}
