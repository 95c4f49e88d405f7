import { DatabaseSync } from "node:sqlite";
import { answerTasks } from "../workers/answer-tasks.ts";
import type { DatabaseAnswer, DatabaseTask, Row } from "./database-messages.ts";

/** Reads one database at a time. Its schema and its content may be hostile: views, triggers, generated columns, damaged pages. */

/** Values are loaded whole, several times over, on both sides. */
const maxValueBytes = 16 * 1024 * 1024;
const limits = { length: maxValueBytes, sqlLength: 1_000_000, attach: 0 };
/** Of SQLite's own memory. Beyond it, a statement fails with "out of memory". */
const maxSqliteBytes = 128 * 1024 * 1024;
const maxTables = 10_000;
/** One answer has at most this many rows, and ends with the row that exceeds the bytes. */
const maxRows = 500;
const maxAnswerBytes = 1024 * 1024;

let database: DatabaseSync | undefined;
let rows: Iterator<Row> | undefined;

answerTasks((task: DatabaseTask): DatabaseAnswer => {
  if (task.kind === "open") return { ...noRows, tables: openDatabase(task.file) };
  if (task.kind === "close") {
    closeDatabase();
    return noRows;
  }
  if (task.kind === "query") {
    const statement = requireDatabase().prepare(task.sql);
    statement.setReadBigInts(true);
    rows = statement.iterate(...task.values);
  }
  return readSomeRows();
});

const noRows: DatabaseAnswer = { tables: [], rows: [], hasMore: false };

function requireDatabase(): DatabaseSync {
  if (database === undefined) throw new Error("no database is open");
  return database;
}

function closeDatabase(): void {
  rows = undefined;
  database?.close();
  database = undefined;
}

function openDatabase(file: string): [string, string[]][] {
  closeDatabase();
  database = new DatabaseSync(file, { limits, allowExtension: false, defensive: true });
  database.exec(
    `PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA cache_size = -4000;
    PRAGMA hard_heap_limit = ${maxSqliteBytes}; PRAGMA query_only = ON`,
  );
  return listTables(database);
}

/** Plain tables and their columns. Generated columns are not listed: their expressions could compute anything. */
function listTables(on: DatabaseSync): [string, string[]][] {
  const tables: [string, string[]][] = [];
  const all = on.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY name").iterate();
  for (const { name, sql } of all) {
    if (typeof name !== "string" || typeof sql !== "string" || /^\s*CREATE\s+VIRTUAL/i.test(sql)) continue;
    if (tables.length >= maxTables) throw new Error(`it has more than ${maxTables} tables`);
    const columns = on.prepare("SELECT name FROM pragma_table_info(?)").all(name);
    tables.push([name, columns.flatMap((column) => (typeof column.name === "string" ? [column.name] : []))]);
  }
  return tables;
}

function readSomeRows(): DatabaseAnswer {
  if (rows === undefined) throw new Error("no query is running");
  const some: Row[] = [];
  for (let bytes = 0; some.length < maxRows && bytes < maxAnswerBytes; ) {
    const next = rows.next();
    if (next.done === true) return { tables: [], rows: some, hasMore: false };
    some.push(next.value);
    for (const value of Object.values(next.value)) bytes += measureValue(value);
  }
  return { tables: [], rows: some, hasMore: true };
}

const measureValue = (value: Row[string]): number =>
  typeof value === "string" || value instanceof Uint8Array ? value.length : 8;
