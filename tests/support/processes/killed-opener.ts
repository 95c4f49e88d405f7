import { raw } from "../../../packages/server/src/store/engine/sql.ts";
import { openSqlite } from "../../../packages/server/src/store/engine/sqlite/engine.ts";

/** Opens a vault's file, writes to it, and is killed. */
const [, , file = ""] = process.argv;
const engine = openSqlite(file);
await engine.write((on) => on.run(raw("INSERT INTO note VALUES ('killed')")));
process.kill(process.pid, "SIGKILL");
