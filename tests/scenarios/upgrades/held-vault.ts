import { raw } from "#server/store/engine/sql";
import { openSqlite } from "#server/store/engine/sqlite/engine";

/** Holds a vault as a server of its schema does: reads it, writes to it for every line it gets, and never migrates it. */
const engine = openSqlite(process.argv[2] ?? "");
await engine.read((on) => on.all(raw("SELECT * FROM owner")));
process.stdout.write("held\n");
for await (const _ of process.stdin) {
  await engine.write((on) => on.run(raw("UPDATE owner SET name = name")));
  process.stdout.write("written\n");
}
await engine.close();
