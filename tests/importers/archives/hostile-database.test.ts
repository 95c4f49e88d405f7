import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type DatabaseAnswer, type DatabaseTask, databaseAnswer } from "#importers/core/database/database-messages";
import { createBoundedWorker } from "#importers/core/workers/bounded-worker";
import type { Files } from "../generators/generator.ts";
import { encodeDatabase } from "../generators/sqlite-bytes.ts";

/** A database in which many visits share one long title. It is read in a process with little memory. */
const worker = createBoundedWorker<Files, number>(
  {
    module: new URL("./reading-worker.ts", import.meta.url),
    bounds: { maxTaskMs: 120_000, maxHeapMb: 300, maxMemoryMb: 400 },
  },
  z.number(),
);
const folder = mkdtempSync(join(tmpdir(), "pdpp-hostile-"));
afterAll(async () => {
  await worker.close();
  rmSync(folder, { recursive: true, force: true });
});

const buildHistory = (visits: number, titleChars: number): Files => ({
  History: encodeDatabase((database) => {
    database.exec(
      `CREATE TABLE urls(id INTEGER PRIMARY KEY, url TEXT, title TEXT);
      CREATE TABLE visits(id INTEGER PRIMARY KEY, url INTEGER, visit_time INTEGER, transition INTEGER, visit_duration INTEGER);
      INSERT INTO urls VALUES (1, 'https://example.org/', hex(zeroblob(${titleChars / 2})));
      WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n LIMIT ${visits})
      INSERT INTO visits SELECT id, 1, 13350000000000000 + id, 0, 0 FROM n;`,
    );
  }),
});

it("[IMP-31] reads a database row by row", async () => {
  expect(await worker.run(buildHistory(40, 15_000_000))).toBe(40);
});

it("[IMP-31] refuses a database whose values are too long", async () => {
  expect(await worker.run(buildHistory(3, 18_000_000))).toBe(1);
});

describe("[IMP-31] a hostile schema", () => {
  /** Opens a database as importers do, and queries it as none of them would. */
  async function query(fill: (database: DatabaseSync) => void, sql: string, maxTaskMs = 60_000) {
    const file = join(folder, `${Math.random()}.db`);
    writeFileSync(file, encodeDatabase(fill));
    const reader = createBoundedWorker<DatabaseTask, DatabaseAnswer>(
      {
        module: new URL("../../../packages/importers/src/core/database/database-worker.ts", import.meta.url),
        bounds: { maxTaskMs, maxHeapMb: 128, maxMemoryMb: 400 },
      },
      databaseAnswer,
    );
    try {
      await reader.run({ kind: "open", file });
      return await reader.run({ kind: "query", sql, values: [] });
    } finally {
      await reader.close();
    }
  }
  const define = (sql: string) => (database: DatabaseSync) => database.exec(sql);

  it("cannot run without end", async () => {
    const endless =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS all_of_them FROM n";
    await expect(query(define(`CREATE VIEW v AS ${endless}`), "SELECT * FROM v", 500)).rejects.toMatchObject({
      code: "too_slow",
    });
  });

  it.each([
    ["a value without end", "hex(zeroblob(500000000))", /too big|out of memory/],
    [
      "a value that grows",
      "(SELECT group_concat(hex(randomblob(1000000)), '') FROM (VALUES (1)) a, numbers)",
      /too big/,
    ],
  ])("cannot compute %s", async (_, expression, problem) => {
    const numbers = `CREATE TABLE numbers(n); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000) INSERT INTO numbers SELECT i FROM n;`;
    const view = define(`${numbers} CREATE VIEW v AS SELECT ${expression} AS x`);
    await expect(query(view, "SELECT * FROM v")).rejects.toThrow(problem);
  });

  it("cannot fill memory with rows to sort", async () => {
    const rows =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 500) SELECT hex(randomblob(500000)) AS x FROM n";
    const sorting = query(define(`CREATE VIEW v AS ${rows} ORDER BY x`), "SELECT length(x) AS chars FROM v LIMIT 1");
    // SQLite sorts within its own limit, on disk, or gives up; the process is not killed.
    const outcome = await sorting.then(
      ({ rows: [first] }) => String(first?.chars),
      (error: Error) => error.message,
    );
    expect(outcome).toMatch(/^1000000$|out of memory/);
  });

  it.each([
    ["load extensions", "SELECT load_extension('/tmp/x.so')", /not authorized|no such function/],
    ["write", "DELETE FROM t", /readonly|query_only|attempt to write/],
    ["change the schema", "UPDATE sqlite_schema SET sql = 'x'", /may not be modified|readonly|attempt to write/],
    ["open other files", "ATTACH '/tmp/other.db' AS other", /too many attached|not authorized/],
  ])("cannot %s", async (_, sql, problem) => {
    await expect(query(define("CREATE TABLE t(x); INSERT INTO t VALUES (1)"), sql)).rejects.toThrow(problem);
  });

  it("has its generated columns and views left out", async () => {
    const file = encodeDatabase(
      define(
        `CREATE TABLE urls(id INTEGER PRIMARY KEY, url TEXT, title TEXT GENERATED ALWAYS AS (hex(zeroblob(500000000))));
        CREATE VIEW visits AS SELECT 1 AS id, 1 AS url, 1 AS visit_time, 1 AS transition;`,
      ),
    );
    // Without them it is not the history of any browser.
    expect(await worker.run({ History: file })).toBe(0);
  });
});

it.each(["'x' || id", "id + 0.5", "zeroblob(id)"])("[IMP-31] ends when the ids of visits are %s", async (id) => {
  const files = {
    History: encodeDatabase((database) => {
      database.exec(
        `CREATE TABLE urls(id INTEGER PRIMARY KEY, url TEXT, title TEXT);
        CREATE TABLE visits(id, url INTEGER, visit_time INTEGER, transition INTEGER);
        INSERT INTO urls VALUES (1, 'https://example.org/', 'title');
        WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n LIMIT 1500)
        INSERT INTO visits SELECT ${id}, 1, 13350000000000000 + id, 0 FROM n;`,
      );
    }),
  };
  expect(await worker.run(files)).toBe(1);
});
