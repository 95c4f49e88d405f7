import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import { raw } from "../sql.ts";
import { openConnection } from "./connection.ts";
import { createWatcher } from "./watch.ts";

let folder: string;
let db: DatabaseSync;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pdpp-watch-"));
  db = openConnection(join(folder, "a.db"), "write", 0).db;
  db.exec("PRAGMA journal_mode = WAL; CREATE TABLE note (value TEXT); INSERT INTO note VALUES ('first')");
});
afterEach(() => {
  db.close();
  rmSync(folder, { recursive: true, force: true });
});

const query = raw("SELECT value FROM note");

it("[AUT-22] tells a value as of the last commit of any connection", () => {
  const { watch, close } = createWatcher(join(folder, "a.db"));
  const read = watch(query);
  expect([read(), read()]).toEqual(["first", "first"]);
  db.exec("BEGIN; UPDATE note SET value = 'second'");
  expect(read()).toBe("first");
  db.exec("COMMIT");
  expect(read()).toBe("second");
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  expect(read()).toBe("second");
  db.exec("DELETE FROM note");
  expect(read()).toBeUndefined();
  close();
});

it("[AUT-22] tells nothing while the file is locked, and catches up afterwards", () => {
  const { watch, close } = createWatcher(join(folder, "a.db"));
  const read = watch(query);
  // Without a log there are no readers beside a writer that holds the file alone.
  db.exec("PRAGMA journal_mode = DELETE");
  expect(read()).toBe("first");
  db.exec("BEGIN EXCLUSIVE");
  expect(read()).toBeUndefined();
  db.exec("UPDATE note SET value = 'second'; COMMIT");
  expect(read()).toBe("second");
  close();
  expect(read()).toBeUndefined();
});
