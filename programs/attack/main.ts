import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "@pdpp/test-support/postgres/embedded-postgres";
import type { EngineName } from "@pdpp/test-support/vaults/new-vault";
import { runOptions } from "../run-options.ts";
import type { Attack, Outcome } from "./attack.ts";
import { attacks } from "./list.ts";

const options = runOptions(
  `npm run attack -- [options]

  --only WORDS       the attacks whose name has these words
  --engine NAME      sqlite, postgres or both (both)

  npm run attack
  npm run attack -- --only revocation --engine sqlite`,
  { only: { type: "string", word: true } },
  "both",
);

const chosen = attacks.filter(({ name }) => name.includes(options.word("only") ?? ""));
if (chosen.length === 0)
  options.refuse(`no attack is called so; there are:\n  ${attacks.map(({ name }) => name).join("\n  ")}`);
const server = options.engines.includes("postgres") ? await startPostgres() : undefined;
let databases = 0;

async function against(attack: Attack, engine: EngineName): Promise<Outcome> {
  const dataDir = mkdtempSync(join(tmpdir(), "pdpp-attack-"));
  try {
    if (engine === "sqlite" || server === undefined) return await attack.run({ engine, dataDir });
    databases += 1;
    const name = `attack_${databases}`;
    await server.createDatabase(name);
    return await attack.run({ engine, dataDir, databaseUrl: `${server.url}/${name}` });
  } catch (error) {
    return { held: false, figure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

let fallen = 0;
for (const attack of chosen) {
  for (const engine of options.engines.filter((name) => attack.engines.includes(name))) {
    const began = Date.now();
    const { held, figure } = await against(attack, engine);
    if (!held) fallen += 1;
    const seconds = ((Date.now() - began) / 1000).toFixed(1);
    console.log(`${held ? "held  " : "FALLEN"}  ${engine.padEnd(8)}  ${attack.name}: ${figure} (${seconds} s)`);
  }
}
await server?.stop();
console.log(fallen === 0 ? `all ${chosen.length} attacks held` : `${fallen} fell`);
// embedded-postgres ends the process by itself, and with 0, as soon as it is imported: nothing is left to it.
process.exit(fallen === 0 ? 0 : 1);
