import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { openSqlite } from "../../../packages/server/src/store/engine/sqlite/engine.ts";

/** Opens a vault's file in several processes and closes it in all of them at once, in rounds. Prints what is left next to it. */
const [, , file = "", place = "", processes = "1", rounds = "1"] = process.argv;
const isFirst = process.env.IS_FIRST === "yes";

for (let round = 0; round < Number(rounds); round++) {
  const engine = openSqlite(file);
  meet(`${round}-opened`);
  await engine.close();
  meet(`${round}-closed`);
  const left = readdirSync(dirname(file)).filter((name) => name !== basename(file));
  if (isFirst && left.length > 0) console.log(left.join());
  meet(`${round}-seen`);
}

/** Waits, without sleeping, until all processes are here. */
function meet(name: string): void {
  const folder = join(place, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, String(process.pid)), "");
  while (readdirSync(folder).length < Number(processes));
}
