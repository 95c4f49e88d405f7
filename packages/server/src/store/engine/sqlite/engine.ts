import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { LRUCache } from "lru-cache";
import type { Column, Engine, Reading, Writing } from "../engine.ts";
import type { Sql, SqlValue } from "../sql.ts";
import { openConnection, type SqliteConnection, sqliteText } from "./connection.ts";
import { sqliteDialect } from "./dialect.ts";
import type { HeavyAnswer, HeavyRequest } from "./heavy-worker.ts";

const readConnections = 8;
const heavyWorkers = 2;

export function openSqlite(file: string): Engine {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const writer = openConnection(file, "write");
  const readers = pool(readConnections, () => localReader(openConnection(file, "read")));
  const heavy = pool(heavyWorkers, () => workerReader(file));
  let lastWrite: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = lastWrite.then(work, work);
    lastWrite = turn;
    return turn;
  };

  return {
    dialect: sqliteDialect,
    readsInProcess: true,
    async read(work, weight = "light") {
      const from = weight === "heavy" ? heavy : readers;
      const reader = await from.take();
      try {
        await reader.begin();
        try {
          return await work(reader);
        } finally {
          await reader.end();
        }
      } finally {
        from.giveBack(reader);
      }
    },
    write: (work) => inTurn(() => inTransaction(writer, work)),
    async reclaim() {
      while ((await inTurn(async () => givePagesBack(writer))) > 0);
      for (let n = 0; n < checkpointAttempts; n += 1) {
        if (await inTurn(async () => emptyLog(writer))) return;
        await wait(checkpointPauseMs);
      }
    },
    async close() {
      await lastWrite.catch(() => undefined);
      await Promise.all([readers.close(), heavy.close()]);
      writer.close();
    },
  };
}

const pagesAtOnce = 4000;

/** Gives some free pages back to the file system; answers how many are left. */
function givePagesBack({ db }: SqliteConnection): number {
  // A vault from before pages could be given back is written anew, once.
  if (numberOf(db, "auto_vacuum") !== 2) db.exec("PRAGMA auto_vacuum = INCREMENTAL; VACUUM");
  db.exec(`PRAGMA incremental_vacuum(${pagesAtOnce})`);
  return numberOf(db, "freelist_count");
}

const checkpointAttempts = 100;
const checkpointPauseMs = 50;

/** Moves the write-ahead log into the vault and empties it, unless somebody is reading. */
function emptyLog({ db }: SqliteConnection): boolean {
  const patience = numberOf(db, "busy_timeout");
  // Waiting would block the very readers that are waited for.
  db.exec("PRAGMA busy_timeout = 0");
  try {
    return numberOf(db, "wal_checkpoint(TRUNCATE)") === 0;
  } finally {
    db.exec(`PRAGMA busy_timeout = ${patience}`);
  }
}

/** The first number that a pragma answers. */
const numberOf = (db: DatabaseSync, pragma: string): number =>
  Number(Object.values(db.prepare(`PRAGMA ${pragma}`).get() ?? {})[0]);

async function inTransaction<T>(connection: SqliteConnection, work: (on: Writing) => Promise<T>): Promise<T> {
  connection.db.exec("BEGIN IMMEDIATE");
  try {
    const result = await work(localWriter(connection));
    connection.db.exec("COMMIT");
    return result;
  } catch (error) {
    if (connection.db.isTransaction) connection.db.exec("ROLLBACK");
    throw error;
  }
}

interface Reader extends Reading {
  /** It will never answer again. */
  isBroken(): boolean;
  begin(): Promise<void>;
  end(): Promise<void>;
  close(): Promise<void>;
}

type Run = <T>(text: string, values: readonly SqlValue[]) => Promise<T[]>;

function reading(run: Run): Reading {
  const all = <T>(query: Sql) => run<T>(sqliteText(query), query.values);
  return { all, allCached: all, one: async <T>(query: Sql) => (await all<T>(query))[0] };
}

const localRun =
  (connection: SqliteConnection): Run =>
  async (text, values) =>
    connection.all(text, values);

function localReader(connection: SqliteConnection): Reader {
  const run = localRun(connection);
  return {
    all: async <T>(query: Sql) => connection.all<T>(sqliteText(query), query.values),
    one: async <T>(query: Sql) => connection.one<T>(sqliteText(query), query.values),
    ...remembering(run),
    isBroken: () => false,
    end: async () => void connection.all("COMMIT", []),
    close: async () => connection.close(),
  };
}

const keptAnswers = 200;

/** Answers that are kept until another connection has written; a reading one never does. */
function remembering(run: Run): Pick<Reader, "allCached" | "begin"> {
  const answers = new LRUCache<string, unknown[]>({ max: keptAnswers });
  let state: unknown;
  let isChecked = false;
  return {
    async begin() {
      isChecked = false;
      await run("BEGIN", []);
    },
    async allCached<T>(query: Sql) {
      if (!isChecked) {
        const [version] = await run<{ data_version: number }>("PRAGMA data_version", []);
        if (version?.data_version !== state) answers.clear();
        state = version?.data_version;
        isChecked = true;
      }
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

function localWriter(connection: SqliteConnection): Writing {
  return {
    ...reading(localRun(connection)),
    run: async (query) => connection.run(sqliteText(query), query.values),
    async insert(
      table: string,
      columns: readonly Column[],
      rows: readonly (readonly SqlValue[])[],
      onConflict?: "ignore",
    ) {
      const names = columns.map((column) => column.name).join(", ");
      const marks = columns.map(() => "?").join(", ");
      const text = `INSERT ${onConflict ? "OR IGNORE " : ""}INTO ${table} (${names}) VALUES (${marks})`;
      for (const row of rows) connection.run(text, row);
    },
  };
}

function workerReader(file: string): Reader {
  const worker = new Worker(new URL("./heavy-worker.ts", import.meta.url), { workerData: { file } });
  worker.unref();
  const waiting = new Map<number, { resolve: (rows: unknown[]) => void; reject: (error: Error) => void }>();
  let lastId = 0;
  worker.on("message", (answer: HeavyAnswer) => {
    const caller = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (waiting.size === 0) worker.unref();
    if ("error" in answer) caller?.reject(new Error(answer.error));
    else caller?.resolve(answer.rows);
  });
  let broken: Error | undefined;
  const giveUp = (error: Error) => {
    broken ??= error;
    for (const caller of waiting.values()) caller.reject(broken);
    waiting.clear();
  };
  worker.on("error", (error) => giveUp(error instanceof Error ? error : new Error(String(error))));
  worker.on("exit", () => giveUp(new Error("the reading thread ended")));
  let ending: Promise<unknown> = Promise.resolve();
  const call: Run = <T>(text: string, values: readonly SqlValue[]) =>
    new Promise<T[]>((resolve, reject) => {
      if (broken) return reject(broken);
      lastId += 1;
      waiting.set(lastId, { resolve: (rows) => resolve(rows as T[]), reject });
      worker.ref();
      worker.postMessage({ id: lastId, text, values } satisfies HeavyRequest);
    });
  return {
    ...reading(call),
    ...remembering(call),
    isBroken: () => broken !== undefined,
    // Nothing waits for it: the next statement comes behind it.
    end: async () => {
      ending = call("COMMIT", []).catch(() => undefined);
    },
    close: async () => {
      await ending;
      if (broken) return;
      worker.ref();
      worker.postMessage("close");
      await new Promise((resolve) => worker.once("exit", resolve));
    },
  };
}

interface Pool<T> {
  take(): Promise<T>;
  giveBack(item: T): void;
  close(): Promise<void>;
}

function pool(size: number, open: () => Reader): Pool<Reader> {
  const idle: Reader[] = [];
  const queue: ((reader: Reader) => void)[] = [];
  let opened = 0;
  return {
    async take() {
      const free = idle.pop();
      if (free) return free;
      if (opened < size) {
        opened += 1;
        return open();
      }
      return new Promise((resolve) => queue.push(resolve));
    },
    giveBack(reader) {
      const next = queue.shift();
      if (!reader.isBroken()) {
        if (next) next(reader);
        else idle.push(reader);
      } else if (next) next(open());
      else opened -= 1;
    },
    async close() {
      await Promise.all(idle.splice(0).map((reader) => reader.close()));
    },
  };
}
