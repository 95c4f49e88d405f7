import type { DatabaseSync } from "node:sqlite";
import type { Files } from "../../../tests/importers/generators/generator.ts";
import { encodeDatabase } from "../../../tests/importers/generators/sqlite-bytes.ts";

/** 36 SQLite files with the tables of a browser's history or of iMessage, so that they are recognised, and a schema or contents that are hostile. */

const urls = "CREATE TABLE urls(id INTEGER PRIMARY KEY, url TEXT, title TEXT);";
const visits =
  "CREATE TABLE visits(id INTEGER PRIMARY KEY, url INTEGER, visit_time INTEGER, transition INTEGER, visit_duration INTEGER);";
const oneUrl = "INSERT INTO urls(id, url, title) VALUES (1, 'https://example.org/', 'title');";
const fillVisits = (count: number, id = "n"): string =>
  `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT ${count})
   INSERT INTO visits(id, url, visit_time, transition, visit_duration) SELECT ${id}, 1, 13350000000000000 + n, 0, 0 FROM c;`;
const honest = `${urls}${visits}${oneUrl}${fillVisits(20)}`;
const endlessQuery = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT";
const history = (sql: string, change: (bytes: Buffer) => Buffer = (bytes) => bytes): Files => ({
  History: change(Buffer.from(encodeDatabase((database) => database.exec(sql)))),
});
/** Runs statements that SQLite allows only with `writable_schema`. */
const rewrite = (sql: string, schema: string): Files => ({
  History: encodeDatabase((database: DatabaseSync) => {
    database.enableDefensive(false);
    database.exec(sql);
    database.exec(`PRAGMA writable_schema = ON; ${schema}; PRAGMA writable_schema = OFF`);
  }),
});
const setBytes =
  (at: number, ...values: number[]) =>
  (bytes: Buffer): Buffer => {
    const changed = Buffer.from(bytes);
    Buffer.from(values).copy(changed, at);
    return changed;
  };
const generated = (expression: string): string =>
  `CREATE TABLE urls(id INTEGER PRIMARY KEY, url TEXT, title TEXT GENERATED ALWAYS AS (${expression}) VIRTUAL);${visits}INSERT INTO urls(id, url) VALUES (1, 'https://example.org/');${fillVisits(50)}`;

export const hostileDatabases: Readonly<Record<string, () => Files>> = {
  "ids that are texts": () =>
    history(
      `${urls}CREATE TABLE visits(id TEXT, url INTEGER, visit_time INTEGER, transition INTEGER, visit_duration INTEGER);${oneUrl}${fillVisits(3000, "'x' || n")}`,
    ),
  "ids that are numbers with a fraction": () =>
    history(
      `${urls}CREATE TABLE visits(id REAL, url INTEGER, visit_time INTEGER, transition INTEGER, visit_duration INTEGER);${oneUrl}${fillVisits(3000, "n + 0.5")}`,
    ),
  "ids that are all the same": () =>
    history(
      `${urls}CREATE TABLE visits(id INTEGER, url INTEGER, visit_time INTEGER, transition INTEGER, visit_duration INTEGER);${oneUrl}${fillVisits(3000, "7")}`,
    ),
  "ids that are bytes": () =>
    history(
      `${urls}CREATE TABLE visits(id BLOB, url INTEGER, visit_time INTEGER, transition INTEGER, visit_duration INTEGER);${oneUrl}${fillVisits(3000, "zeroblob(n)")}`,
    ),
  "ids at the limits of 64 bits": () =>
    history(
      `${urls}${visits}${oneUrl}INSERT INTO visits VALUES (-9223372036854775808, 1, 1, 0, 0), (9223372036854775807, 1, 13350000000000000, 0, 0);`,
    ),
  "times beyond every calendar": () =>
    history(
      `${urls}${visits}${oneUrl}INSERT INTO visits VALUES (1, 1, 9223372036854775807, 0, 0), (2, 1, -9223372036854775808, 0, 0), (3, 1, 9e999, 0, 0), (4, 1, 'soon', 0, 0), (5, 1, NULL, 0, 0);`,
    ),
  "no index and many rows": () =>
    history(
      `CREATE TABLE urls(id, url, title);CREATE TABLE visits(id, url, visit_time, transition, visit_duration);${oneUrl}${fillVisits(60_000)}`,
    ),
  "a page for every visit, without an index": () =>
    history(
      `CREATE TABLE urls(id, url, title);${visits}${fillVisits(20_000)}WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 20000) INSERT INTO urls SELECT n, 'https://example.org/' || n, 'x' FROM c;UPDATE visits SET url = id;`,
    ),
  "pages that multiply visits": () =>
    history(
      `CREATE TABLE urls(id, url, title);${visits}${fillVisits(300)}WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 300) INSERT INTO urls SELECT 1, 'https://example.org/' || n, 'x' FROM c;`,
    ),
  "a view for the visits": () =>
    history(
      `${urls}${oneUrl}CREATE VIEW visits AS ${endlessQuery} n AS id, 1 AS url, n AS visit_time, 0 AS transition, 0 AS visit_duration FROM c;`,
    ),
  "a view for the pages": () =>
    history(
      `${visits}${fillVisits(20)}CREATE VIEW urls AS ${endlessQuery} n AS id, 'https://example.org/' AS url, '' AS title FROM c;`,
    ),
  "a view that is listed as a table": () =>
    rewrite(
      `${urls}${oneUrl}CREATE VIEW visits AS ${endlessQuery} n AS id, 1 AS url, n AS visit_time, 0 AS transition, 0 AS visit_duration FROM c;`,
      "UPDATE sqlite_schema SET type = 'table' WHERE name = 'visits'",
    ),
  "a view that calls itself": () =>
    rewrite(
      `${honest}CREATE VIEW loop AS SELECT 1 AS a;`,
      "UPDATE sqlite_schema SET sql = 'CREATE VIEW loop AS SELECT * FROM loop' WHERE name = 'loop'",
    ),
  "a generated title of 60 MB": () => history(generated("hex(zeroblob(30000000))")),
  "a generated title beyond the limit": () => history(generated("hex(zeroblob(900000000))")),
  "a generated title that is padded": () => history(generated("printf('%.*c', 60000000, 'x')")),
  "a generated title from slow patterns": () =>
    history(generated("CASE WHEN hex(zeroblob(5000)) LIKE '%0%0%0%0%0%0%0%0%0%1' THEN 'a' ELSE 'b' END")),
  "a generated title that fails": () => history(generated("abs(-9223372036854775808)")),
  "a trigger on reading": () =>
    history(`${honest}CREATE TRIGGER t AFTER INSERT ON visits BEGIN DELETE FROM urls; END;`),
  "an index on an expression": () => history(`${honest}CREATE INDEX i ON visits(hex(zeroblob(1000)) || id);`),
  "a check that is slow": () =>
    history(
      `${urls}CREATE TABLE visits(id INTEGER PRIMARY KEY, url INTEGER, visit_time INTEGER, transition INTEGER, visit_duration INTEGER, CHECK (length(hex(zeroblob(100))) > 0));${oneUrl}${fillVisits(20)}`,
    ),
  "a virtual table": () =>
    history(`${urls}${oneUrl}CREATE VIRTUAL TABLE visits USING fts5(id, url, visit_time, transition, visit_duration);`),
  "an unknown module": () =>
    rewrite(
      honest,
      "UPDATE sqlite_schema SET sql = 'CREATE VIRTUAL TABLE visits USING evil(id, url, visit_time, transition)' WHERE name = 'visits'",
    ),
  "an unknown collation": () =>
    rewrite(
      honest,
      "UPDATE sqlite_schema SET sql = replace(sql, 'url TEXT', 'url TEXT COLLATE evil') WHERE name = 'urls'",
    ),
  "two tables on one page": () =>
    rewrite(honest, "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'urls')"),
  "a table on the schema's page": () => rewrite(honest, "UPDATE sqlite_schema SET rootpage = 1 WHERE name = 'visits'"),
  "a table on a page that does not exist": () =>
    rewrite(honest, "UPDATE sqlite_schema SET rootpage = 999999 WHERE name = 'visits'"),
  "a schema that is no SQL": () =>
    rewrite(
      honest,
      "UPDATE sqlite_schema SET sql = 'CREATE TABLE visits(' || hex(zeroblob(400000)) || ')' WHERE name = 'visits'",
    ),
  "a thousand tables with a thousand columns": () =>
    history(
      honest +
        Array.from(
          { length: 300 },
          (_, t) => `CREATE TABLE t${t}(${Array.from({ length: 300 }, (_, c) => `c${c}`).join(",")});`,
        ).join(""),
    ),
  "table names with quotes and line ends": () => history(`${honest}CREATE TABLE "a""b; DROP TABLE visits; --\n"(x);`),
  "another page size": () => history(honest, setBytes(16, 2, 0)),
  "another text encoding": () => history(honest, setBytes(59, 2)),
  "a larger file than it is": () => history(honest, setBytes(28, 0x7f, 0xff, 0xff, 0xff)),
  "free pages in a circle": () => history(honest, setBytes(32, 0, 0, 0, 2, 0, 0, 0xff, 0xff)),
  "a write-ahead log of noise": () => ({ ...history(honest), "History-wal": Buffer.alloc(100_000, "7\x7f\x06\x82") }),
  "half of its pages": () =>
    history(`${urls}${visits}${oneUrl}${fillVisits(5000)}`, (bytes) => bytes.subarray(0, Math.floor(bytes.length / 2))),
};
