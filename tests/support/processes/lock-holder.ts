import { DatabaseSync } from "node:sqlite";

/** Another process that writes to a vault: takes the lock, says so, and keeps it until it is told or killed. */
const db = new DatabaseSync(process.argv[2] ?? "", { timeout: 300_000 });
db.exec("BEGIN IMMEDIATE; UPDATE owner SET name = name");
process.stdout.write("held\n");
process.stdin.once("data", () => {
  db.exec("COMMIT");
  process.exit(0);
});
