import { fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { startPostgres } from "@pdpp/test-support/postgres/embedded-postgres";
import type { EngineName } from "@pdpp/test-support/vaults/new-vault";
import { parseRunOptions } from "../run-options.ts";
import { type Attack, NotTriedError, type Outcome } from "./attack.ts";
import { readCpuSeconds } from "./cpu-seconds.ts";
import { attacks } from "./list.ts";
import { parseVerdicts, summarizeVerdicts } from "./verdicts.ts";

const options = parseRunOptions(
  `npm run attack -- [options]

  --only WORDS       run only attacks whose name contains WORDS
  --engine NAME      sqlite, postgres or both (default: both, at the same time)
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
const startedAt = Date.now();
const engines = options.engines.filter((engine) => chosen.some((attack) => attack.engines.includes(engine)));
const isOfOneEngine = process.send !== undefined;
const verdicts = (await Promise.all(engines.map(isOfOneEngine ? attackEngine : attackInProcess))).flat();
const { isHeld, text } = summarizeVerdicts(verdicts);
// Each engine's process leaves the summary to its parent.
if (isOfOneEngine) await new Promise((sent) => process.send?.(verdicts, sent));
else console.log(`${text} (${((Date.now() - startedAt) / 60_000).toFixed(1)} min)`);
// embedded-postgres exits the process with 0 once imported, so exit explicitly.
process.exit(isHeld ? 0 : 1);

/** 1 on an idle machine. Each process has about this share of a processor. */
function getTimeLimitFactor(): string {
  return String(Math.ceil(1 + (loadavg()[0] ?? 0) / availableParallelism()));
}

/** Attacks often wait, so both engines together take little longer than one. Each has its own process: attacks measure what theirs does. */
function attackInProcess(engine: EngineName): Promise<Outcome["held"][]> {
  const { promise, resolve, reject } = Promise.withResolvers<Outcome["held"][]>();
  // The product gives up waiting for locks and connections after a while. A busy machine must not make it do so.
  const PDPP_TIME_LIMIT_FACTOR = process.env.PDPP_TIME_LIMIT_FACTOR ?? getTimeLimitFactor();
  const env = { ...process.env, PDPP_TIME_LIMIT_FACTOR };
  const child = fork(import.meta.filename, [...process.argv.slice(2), "--engine", engine], { env });
  child.once("message", (received) => resolve(parseVerdicts(received)));
  child.once("error", reject);
  child.once("exit", (code, signal) => reject(new Error(`the attacks on ${engine} ended early: ${code ?? signal}`)));
  return promise;
}

async function attackEngine(engine: EngineName): Promise<Outcome["held"][]> {
  const server = engine === "postgres" ? await startPostgres() : undefined;
  const verdictTexts = { true: "held     ", false: "FAILED   ", "not tried": "not tried" };
  const verdicts: Outcome["held"][] = [];
  for (const attack of chosen.filter(({ engines }) => engines.includes(engine))) {
    const [began, beganCpu] = [Date.now(), readCpuSeconds()];
    const databaseName = `attack_${verdicts.length}`;
    await server?.createDatabase(databaseName);
    const { held, figure } = await runAttack(attack, engine, server && `${server.url}/${databaseName}`);
    verdicts.push(held);
    const seconds = ((Date.now() - began) / 1000).toFixed(1);
    const cpuSeconds = (readCpuSeconds() ?? Number.NaN) - (beganCpu ?? Number.NaN);
    const cpu = Number.isNaN(cpuSeconds) ? "" : `, ${cpuSeconds.toFixed(1)} s of CPU`;
    console.log(`${verdictTexts[`${held}`]}  ${engine.padEnd(8)}  ${attack.name}: ${figure} (${seconds} s${cpu})`);
  }
  await server?.stop();
  return verdicts;
}

async function runAttack(attack: Attack, engine: EngineName, databaseUrl: string | undefined): Promise<Outcome> {
  const dataDir = mkdtempSync(join(tmpdir(), "pdpp-attack-"));
  const [rounds, minutes] = [options.whole("rounds"), options.whole("minutes")];
  try {
    return await attack.run({
      engine,
      dataDir,
      ...(databaseUrl === undefined ? {} : { databaseUrl }),
      ...(rounds === undefined ? {} : { rounds }),
      ...(minutes === undefined ? {} : { minutes }),
    });
  } catch (error) {
    if (error instanceof NotTriedError) return { held: "not tried", figure: error.message };
    return { held: false, figure: inspect(error) };
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}
