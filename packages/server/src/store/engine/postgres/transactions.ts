import type pg from "pg";
import type { ColumnType, ReadTransaction, WriteTransaction } from "../engine.ts";
import { createRenderer, type Sql } from "../sql.ts";
import { postgresDialect } from "./dialect.ts";
import { translateError } from "./errors.ts";
import type { PoolKind } from "./kinds.ts";
import { openSessions, type Session } from "./sessions.ts";
import type { StatementNames } from "./statement-names.ts";

const arrayTypes: Record<ColumnType, string> = {
  text: "text[]",
  number: "float8[]",
  integer: "bigint[]",
  bytes: "bytea[]",
};

export interface Transactions {
  run<T>(work: (on: WriteTransaction) => Promise<T>): Promise<T>;
  /** One statement outside a transaction: it sees a state of its own. */
  select<T>(query: Sql): Promise<T[]>;
  vacuum(): Promise<void>;
  end(): Promise<void>;
}

export function openTransactions(url: string, kind: PoolKind, names: StatementNames): Transactions {
  const sessions = openSessions(url, kind, names);
  const runAndTranslate = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw translateError(error, kind.isWriting);
    }
  };
  const runAlone = (text: string, values: readonly unknown[] = []): Promise<pg.QueryResult> =>
    sessions.start(async (session) => {
      const result = await session.query(text, values);
      session.release();
      return result;
    });
  const runWrite = async <T>(work: (on: WriteTransaction) => Promise<T>): Promise<T> => {
    const session = await sessions.start(async (taken) => {
      await taken.query(taken.begin);
      return taken;
    });
    const statements = createStatementQueue(session);
    try {
      const result = await work(createWriteTransaction(statements.run));
      await statements.end("COMMIT");
      session.release();
      return result;
    } catch (error) {
      session.release(await catchError(statements.end("ROLLBACK")));
      throw error;
    }
  };
  const runRead = async <T>(work: (on: WriteTransaction) => Promise<T>): Promise<T> => {
    // Started by the first statement, which is sent together with BEGIN.
    let started: Promise<Session> | undefined;
    let hasEnded = false;
    const startWith: RunStatement = async (text, values) => {
      let first: Promise<pg.QueryResult> | undefined;
      started = sessions.start(async (session) => {
        const begun = session.query(session.begin);
        first = session.query(text, values);
        first.catch(() => undefined);
        await begun;
        return session;
      });
      await started;
      return first!;
    };
    const run: RunStatement = async (text, values) => {
      if (hasEnded) throw createEndedError();
      if (started === undefined) return startWith(text, values);
      const session = await started;
      if (hasEnded) throw createEndedError();
      return session.query(text, values);
    };
    try {
      return await work(createWriteTransaction(run));
    } finally {
      hasEnded = true;
      // The caller of a read does not wait for its end.
      started?.then(
        async (session) => session.release(await catchError(session.query("COMMIT"))),
        () => undefined,
      );
    }
  };
  return {
    run: (work) => runAndTranslate(() => (kind.isWriting ? runWrite(work) : runRead(work))),
    select: (query) => runAndTranslate(async () => (await runAlone(renderPostgres(query), query.values)).rows),
    vacuum: () => runAndTranslate(async () => void (await runAlone("VACUUM"))),
    end: sessions.end,
  };
}

const catchError = (ending: Promise<unknown>): Promise<unknown> =>
  ending.then(
    () => undefined,
    (error: unknown) => error,
  );

const createEndedError = (): Error => new Error("the transaction has ended");

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
function createStatementQueue(session: Session): StatementQueue {
  let last: Promise<unknown> = Promise.resolve();
  let hasEnded = false;
  const enqueue: RunStatement = (text, values) => {
    const result = last.then(() => session.query(text, values));
    last = result.catch(() => undefined);
    return result;
  };
  return {
    run: (text, values) => (hasEnded ? Promise.reject(createEndedError()) : enqueue(text, values)),
    async end(statement) {
      hasEnded = true;
      await enqueue(statement, []);
    },
  };
}

const renderPostgres = createRenderer((n) => `$${n}`);

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
