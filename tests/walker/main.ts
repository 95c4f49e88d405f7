import { parseArgs } from "node:util";
import fc from "fast-check";
import { startPostgres } from "../support/embedded-postgres.ts";
import type { EngineName } from "../support/vaults.ts";
import { newTally, type Tally } from "./client.ts";
import { buildHostileVault, hostileBlueprint } from "./hostile-vault.ts";
import { proveLife } from "./life.ts";
import { proveVault } from "./prove.ts";

const { values: options } = parseArgs({
  options: {
    vaults: { type: "string", default: "100" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    engine: { type: "string", default: "sqlite" },
    /** Ends after so long, with what it has walked by then. */
    seconds: { type: "string" },
    /** Walks this one of the seed's vaults alone. */
    only: { type: "string" },
    /** Goes on after a fault, to see how many there are. */
    "keep-going": { type: "boolean", default: false },
    shrink: { type: "boolean", default: false },
  },
});

const engine = options.engine as EngineName;
const server =
  engine === "postgres" ? await startPostgres("-c", "fsync=off", "-c", "synchronous_commit=off") : undefined;
if (server !== undefined) process.env.PDPP_TEST_POSTGRES = server.url;

const seed = Number(options.seed);
const count = Number(options.vaults);
const blueprints = hostileBlueprint(16);
const tally = newTally();
const began = Date.now();
let failed = 0;

const said = (t: Tally): string =>
  `${t.vaults} vaults (${t.lives} with a restart, a writer and a revocation), ${t.grants} grants, ${t.calls} calls, ${t.records} records and ${t.characters} characters rebuilt, ` +
  `${t.canaries} canaries checked, ${Math.round((Date.now() - began) / 1000)} s`;

try {
  if (options.shrink) {
    await fc.assert(
      fc.asyncProperty(blueprints, (blueprint) => proveVault(buildHostileVault(blueprint), engine, tally)),
      { seed, numRuns: count },
    );
  } else {
    const drawn = fc.sample(blueprints, { seed, numRuns: count });
    for (const [i, blueprint] of drawn.entries()) {
      if (options.seconds !== undefined && Date.now() - began > 1000 * Number(options.seconds)) break;
      if (options.only !== undefined && Number(options.only) !== i) continue;
      try {
        const vault = buildHostileVault(blueprint);
        await proveVault(vault, engine, tally);
        if (i % 10 === 0) await proveLife(vault, engine, tally);
      } catch (error) {
        failed += 1;
        const trace = error instanceof Error && error.constructor.name !== "WalkFault" ? error.stack : String(error);
        console.error(`--seed ${seed} --only ${i}: ${trace}`);
        if (!options["keep-going"]) break;
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
console.log(`seed ${seed}, ${engine}: ${said(tally)}; ${failed === 0 ? "all hold" : `${failed} failed`}`);
// embedded-postgres ends the process by itself, and with 0, as soon as it is imported: nothing is left to it.
process.exit(failed === 0 ? 0 : 1);
