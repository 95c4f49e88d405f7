import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { startPostgres } from "@pdpp/test-support/postgres/embedded-postgres";
import type { EngineName } from "@pdpp/test-support/vaults/new-vault";
import { parseRunOptions } from "../run-options.ts";
import { type Attack, NotTriedError, type Outcome } from "./attack.ts";
import { attacks } from "./list.ts";
import { summarizeVerdicts } from "./verdicts.ts";

const options = parseRunOptions(
  `npm run attack -- [options]

  --only WORDS       run only attacks whose name contains WORDS
  --engine NAME      sqlite, postgres or both (default: both)
  --rounds N         how often to stop or kill a server under load (default: 6) or a writer (default: 20 for each kind), and how many
                     times six hostile files of each format (default: 1; 6 are all)
  --minutes N        how long to soak (default: 10); a soak runs only with --only soak
  --list             print the names of the attacks

  npm run attack
  npm run attack -- --only revocation --engine sqlite
  npm run attack -- --only "under load" --engine sqlite --rounds 200
  npm run attack -- --only soak --engine sqlite

Exits with 0 if every attack was tried and held.`,
  {
    only: { type: "string", word: true },
    rounds: { type: "string" },
    minutes: { type: "string" },
    list: { type: "boolean" },
  },
  "both",
);

const only = options.word("only");
const chosen = attacks.filter(({ name, isLong }) => (only === undefined ? isLong !== true : name.includes(only)));
if (options.has("list")) {
  for (const { name, engines, isLong } of attacks)
    console.log(`${name} (${engines.join(", ")}${isLong ? "; long" : ""})`);
  process.exit(0);
}
if (chosen.length === 0)
  options.refuse(`no attack matches --only; available:\n  ${attacks.map(({ name }) => name).join("\n  ")}`);
const server = options.engines.includes("postgres") ? await startPostgres() : undefined;
let databases = 0;

async function runAttack(attack: Attack, engine: EngineName): Promise<Outcome> {
  const dataDir = mkdtempSync(join(tmpdir(), "pdpp-attack-"));
  const [rounds, minutes] = [options.whole("rounds"), options.whole("minutes")];
  const target = {
    engine,
    dataDir,
    ...(rounds === undefined ? {} : { rounds }),
    ...(minutes === undefined ? {} : { minutes }),
  };
  try {
    if (engine === "sqlite" || server === undefined) return await attack.run(target);
    databases += 1;
    const name = `attack_${databases}`;
    await server.createDatabase(name);
    return await attack.run({ ...target, databaseUrl: `${server.url}/${name}` });
  } catch (error) {
    if (error instanceof NotTriedError) return { held: "not tried", figure: error.message };
    return { held: false, figure: inspect(error) };
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const verdicts: Outcome["held"][] = [];
const startedAt = Date.now();
const verdictTexts = { true: "held     ", false: "FAILED   ", "not tried": "not tried" };
for (const attack of chosen) {
  for (const engine of options.engines.filter((name) => attack.engines.includes(name))) {
    const began = Date.now();
    const { held, figure } = await runAttack(attack, engine);
    verdicts.push(held);
    const seconds = ((Date.now() - began) / 1000).toFixed(1);
    console.log(`${verdictTexts[`${held}`]}  ${engine.padEnd(8)}  ${attack.name}: ${figure} (${seconds} s)`);
  }
}
await server?.stop();
const { isHeld, text } = summarizeVerdicts(verdicts);
console.log(`${text} (${((Date.now() - startedAt) / 60_000).toFixed(1)} min)`);
// embedded-postgres exits the process with 0 once imported, so exit explicitly.
process.exit(isHeld ? 0 : 1);
