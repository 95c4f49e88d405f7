import { openSqlite } from "../../../packages/server/src/store/engine/sqlite/engine.ts";

/** Opens and closes a vault's file repeatedly, like a series of commands. */
const [, , file = "", times = "1"] = process.argv;
for (let i = 0; i < Number(times); i++) await openSqlite(file).close();
