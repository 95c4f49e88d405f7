import { startPostgres } from "@pdpp/test-support/postgres/embedded-postgres";
import fc from "fast-check";
import { createTally, type Tally } from "../../tests/walker/client.ts";
import { proveConsole } from "../../tests/walker/console/prove.ts";
import { buildConsoleVault } from "../../tests/walker/console/vault.ts";
import { proveLife } from "../../tests/walker/life.ts";
import { proveVault } from "../../tests/walker/prove.ts";
import {
  buildHostileVault,
  drawHostileBlueprint,
  type HostileBlueprint,
} from "../../tests/walker/vaults/hostile-vault.ts";
import { parseRunOptions } from "../run-options.ts";

const options = parseRunOptions(
  `npm run proof -- [options]

  --vaults N         number of vaults to walk (default: 100)
  --seed N           random seed; printed, so that a run can be repeated
  --engine NAME      sqlite or postgres (default: sqlite)
  --seconds N        stop after N seconds
  --only N           walk only vault number N of this seed
  --console          walk the owner's pages while impersonating grants, instead of what agents read
  --keep-going       continue after a failure, to count all of them
  --shrink           search for a smaller vault with the same failure

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
const blueprints = drawHostileBlueprint(16);
const prove = (blueprint: HostileBlueprint): Promise<void> =>
  options.has("console")
    ? proveConsole(buildConsoleVault(blueprint), engine, tally)
    : proveVault(buildHostileVault(blueprint), engine, tally);
const tally = createTally();
const began = Date.now();
let failed = 0;

const formatTally = (t: Tally): string =>
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
        const trace = error instanceof Error && error.constructor.name !== "WalkError" ? error.stack : String(error);
        console.error(`--seed ${seed} --only ${i}: ${trace}`);
        if (!options.has("keep-going")) break;
      }
      if ((i + 1) % 100 === 0) console.error(`... ${formatTally(tally)}`);
    }
  }
} catch (error) {
  failed += 1;
  console.error(error);
} finally {
  await server?.stop();
}
// A run that walked nothing proves nothing.
const holds = failed === 0 && tally.vaults > 0;
const end = holds ? "all hold" : failed === 0 ? "no vault was walked" : `${failed} failed`;
console.log(`seed ${seed}, ${engine}: ${formatTally(tally)}; ${end}`);
// embedded-postgres exits the process with 0 once imported, so exit explicitly.
process.exit(holds ? 0 : 1);
