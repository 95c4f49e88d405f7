import { DatabaseSync } from "node:sqlite";

/** Child process: takes a vault's write lock, reports it, and holds it until released or killed. */
const db = new DatabaseSync(process.argv[2] ?? "", { timeout: 300_000 });
db.exec("BEGIN IMMEDIATE; UPDATE owner SET name = name");
process.stdout.write("held\n");
process.stdin.once("data", () => {
  db.exec("COMMIT");
  process.exit(0);
});
