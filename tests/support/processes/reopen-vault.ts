import { openSqlite } from "../../../packages/server/src/store/engine/sqlite/engine.ts";

/** Opens and closes a vault's file again and again, as many commands after each other do. */
const [, , file = "", times = "1"] = process.argv;
for (let i = 0; i < Number(times); i++) await openSqlite(file).close();
