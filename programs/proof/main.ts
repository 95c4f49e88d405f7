import { startPostgres } from "@pdpp/test-support/postgres/embedded-postgres";
import fc from "fast-check";
import { newTally, type Tally } from "../../tests/walker/client.ts";
import { proveConsole } from "../../tests/walker/console-prove.ts";
import { buildConsoleVault } from "../../tests/walker/console-vault.ts";
import { buildHostileVault, type HostileBlueprint, hostileBlueprint } from "../../tests/walker/hostile-vault.ts";
import { proveLife } from "../../tests/walker/life.ts";
import { proveVault } from "../../tests/walker/prove.ts";
import { runOptions } from "../run-options.ts";

const options = runOptions(
  `npm run proof -- [options]

  --vaults N         how many vaults to walk (100)
  --seed N           which ones; printed, so that a run can be repeated
  --engine NAME      sqlite or postgres (sqlite)
  --seconds N        ends after so long, with what it has walked by then
  --only N           walks this one of the seed's vaults alone
  --console          walks the owner's pages under worn grants, instead of what agents are given
  --keep-going       goes on after a fault, to see how many there are
  --shrink           looks for a smaller vault with the same fault

  npm run proof -- --vaults 1000 --seed 1
  npm run proof -- --vaults 1000 --seed 1 --only 15
  npm run proof -- --console --vaults 200 --seed 1`,
  {
    vaults: { type: "string" },
    seed: { type: "string" },
    seconds: { type: "string" },
    only: { type: "string" },
    console: { type: "boolean" },
    "keep-going": { type: "boolean" },
    shrink: { type: "boolean" },
  },
);

const { engine } = options;
const server =
  engine === "postgres" ? await startPostgres("-c", "fsync=off", "-c", "synchronous_commit=off") : undefined;
if (server !== undefined) process.env.PDPP_TEST_POSTGRES = server.url;

const seed = options.whole("seed") ?? Date.now() % 1_000_000;
const count = options.whole("vaults") ?? 100;
const seconds = options.whole("seconds") ?? Number.POSITIVE_INFINITY;
const only = options.whole("only");
const blueprints = hostileBlueprint(16);
const prove = (blueprint: HostileBlueprint): Promise<void> =>
  options.has("console")
    ? proveConsole(buildConsoleVault(blueprint), engine, tally)
    : proveVault(buildHostileVault(blueprint), engine, tally);
const tally = newTally();
const began = Date.now();
let failed = 0;

const said = (t: Tally): string =>
  `${t.vaults} vaults (${t.lives} with a restart, a writer and a revocation), ${t.grants} grants, ${t.calls} calls, ${t.records} records and ${t.characters} characters rebuilt, ` +
  `${t.canaries} canaries checked, ${Math.round((Date.now() - began) / 1000)} s`;

try {
  if (options.has("shrink")) {
    await fc.assert(fc.asyncProperty(blueprints, prove), { seed, numRuns: count });
  } else {
    const drawn = fc.sample(blueprints, { seed, numRuns: count });
    for (const [i, blueprint] of drawn.entries()) {
      if (Date.now() - began > 1000 * seconds) break;
      if (only !== undefined && only !== i) continue;
      try {
        await prove(blueprint);
        if (i % 10 === 0 && !options.has("console")) await proveLife(buildHostileVault(blueprint), engine, tally);
      } catch (error) {
        failed += 1;
        const trace = error instanceof Error && error.constructor.name !== "WalkFault" ? error.stack : String(error);
        console.error(`--seed ${seed} --only ${i}: ${trace}`);
        if (!options.has("keep-going")) break;
      }
      if ((i + 1) % 100 === 0) console.error(`... ${said(tally)}`);
    }
  }
} catch (error) {
  failed += 1;
  console.error(error);
} finally {
  await server?.stop();
}
// Nothing walked is nothing proven.
const holds = failed === 0 && tally.vaults > 0;
const end = holds ? "all hold" : failed === 0 ? "nothing was walked" : `${failed} failed`;
console.log(`seed ${seed}, ${engine}: ${said(tally)}; ${end}`);
// embedded-postgres ends the process by itself, and with 0, as soon as it is imported: nothing is left to it.
process.exit(holds ? 0 : 1);
