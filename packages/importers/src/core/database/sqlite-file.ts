import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createTemporaryFolder } from "../../tree/temporary.ts";
import type { Entry } from "../../tree/tree.ts";
import { describeError } from "../text/describe-error.ts";
import { type BoundedWorker, createBoundedWorker, TaskAborted, type WorkerOptions } from "../workers/bounded-worker.ts";
import { type DatabaseAnswer, type DatabaseTask, databaseAnswer, type Row } from "./database-messages.ts";

/**
 * Reads SQLite databases of other programs from a copy: opening one writes next to it, and the write-ahead log would be missed. A process
 * with limits opens the copy; a hostile file can neither block this process nor fill its memory.
 */

export const isSqlite = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.subarray(0, 16)).toString("latin1") === "SQLite format 3\0";

export const findWriteAheadLog = (entry: Entry, companions: readonly Entry[]): Entry | undefined =>
  companions.find(({ path }) => path === `${entry.path}-wal`);

export class DatabaseError extends Error {
  /** For the rejected item. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export interface Database {
  /** Plain tables and their columns. */
  readonly tables: ReadonlyMap<string, ReadonlySet<string>>;
  /** Fetches rows in batches. A new query ends the one before. */
  query(sql: string, ...values: bigint[]): AsyncGenerator<Row>;
}

type DatabaseWorker = BoundedWorker<DatabaseTask, DatabaseAnswer>;

const options: WorkerOptions = {
  module: new URL("./database-worker.ts", import.meta.url),
  // The time is for one batch of rows. Sorting the messages of many years takes seconds before the first row.
  bounds: { maxTaskMs: 60_000, maxHeapMb: 256, maxMemoryMb: 512, maxYoungMb: 16 },
};

/** An export often has several databases, so the process is kept for the next one. */
let idleWorker: DatabaseWorker | undefined;
let idleTimer: NodeJS.Timeout | undefined;
const idleMs = 5000;

function takeWorker(): DatabaseWorker {
  clearTimeout(idleTimer);
  const worker = idleWorker ?? createBoundedWorker<DatabaseTask, DatabaseAnswer>(options, databaseAnswer);
  idleWorker = undefined;
  return worker;
}

async function releaseWorker(worker: DatabaseWorker): Promise<void> {
  if (idleWorker !== undefined) return worker.close();
  idleWorker = worker;
  idleTimer = setTimeout(() => {
    idleWorker = undefined;
    void worker.close();
  }, idleMs).unref();
}

/** Yields what `read` finds in a temporary copy. Throws `DatabaseError` if the file is damaged, hostile or not a database. */
export async function* readFromDatabase<T>(
  entry: Entry,
  log: Entry | undefined,
  read: (database: Database) => AsyncIterable<T> | Iterable<T>,
): AsyncGenerator<T> {
  const folder = await createTemporaryFolder();
  const worker = takeWorker();
  try {
    const file = join(folder, "database");
    await pipeline(entry.bytes(), createWriteStream(file, { mode: 0o600 }));
    if (log !== undefined) await pipeline(log.bytes(), createWriteStream(`${file}-wal`, { mode: 0o600 }));
    yield* read(await openDatabase(worker, file));
  } finally {
    await worker.run({ kind: "close" }).catch(() => undefined);
    await releaseWorker(worker);
    await rm(folder, { recursive: true, force: true });
  }
}

async function openDatabase(worker: DatabaseWorker, file: string): Promise<Database> {
  const { tables } = await ask(worker, { kind: "open", file });
  let queries = 0;
  return {
    tables: new Map(tables.map(([name, columns]) => [name, new Set(columns)])),
    async *query(sql, ...values) {
      queries += 1;
      const own = queries;
      let answer = await ask(worker, { kind: "query", sql, values });
      for (;;) {
        yield* answer.rows;
        if (!answer.hasMore) return;
        if (own !== queries) throw new Error("another query was started before this one ended");
        answer = await ask(worker, { kind: "next" });
      }
    },
  };
}

async function ask(worker: DatabaseWorker, task: DatabaseTask): Promise<DatabaseAnswer> {
  try {
    return await worker.run(task);
  } catch (error) {
    const code = error instanceof TaskAborted ? error.code : "malformed";
    throw new DatabaseError(code, `cannot read the database: ${describeError(error)}`);
  }
}
