import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "@pdpp/test-support/postgres/embedded-postgres";
import type { EngineName } from "@pdpp/test-support/vaults/new-vault";
import { parseRunOptions } from "../run-options.ts";
import type { Attack, Outcome } from "./attack.ts";
import { attacks } from "./list.ts";

const options = parseRunOptions(
  `npm run attack -- [options]

  --only WORDS       run only attacks whose name contains WORDS
  --engine NAME      sqlite, postgres or both (default: both)

  npm run attack
  npm run attack -- --only revocation --engine sqlite`,
  { only: { type: "string", word: true } },
  "both",
);

const chosen = attacks.filter(({ name }) => name.includes(options.word("only") ?? ""));
if (chosen.length === 0)
  options.refuse(`no attack matches --only; available:\n  ${attacks.map(({ name }) => name).join("\n  ")}`);
const server = options.engines.includes("postgres") ? await startPostgres() : undefined;
let databases = 0;

async function runAttack(attack: Attack, engine: EngineName): Promise<Outcome> {
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

let failed = 0;
for (const attack of chosen) {
  for (const engine of options.engines.filter((name) => attack.engines.includes(name))) {
    const began = Date.now();
    const { held, figure } = await runAttack(attack, engine);
    if (!held) failed += 1;
    const seconds = ((Date.now() - began) / 1000).toFixed(1);
    console.log(`${held ? "held  " : "FAILED"}  ${engine.padEnd(8)}  ${attack.name}: ${figure} (${seconds} s)`);
  }
}
await server?.stop();
console.log(failed === 0 ? `all ${chosen.length} attacks held` : `${failed} failed`);
// embedded-postgres exits the process with 0 once imported, so exit explicitly.
process.exit(failed === 0 ? 0 : 1);
