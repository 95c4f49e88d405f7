import { parseArgs } from "node:util";
import { startPostgres } from "../support/embedded-postgres.ts";
import type { EngineName } from "../support/vaults.ts";
import { type FuzzTally, fuzz } from "./fuzz.ts";

const { values: options } = parseArgs({
  options: {
    calls: { type: "string", default: "20000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    /** Ends after so long, with what it has sent by then. */
    seconds: { type: "string" },
    engine: { type: "string", default: "sqlite" },
  },
});

const engine = options.engine as EngineName;
const server =
  engine === "postgres" ? await startPostgres("-c", "fsync=off", "-c", "synchronous_commit=off") : undefined;
if (server !== undefined) process.env.PDPP_TEST_POSTGRES = server.url;
const began = Date.now();
let failed = false;
const said = (t: FuzzTally): string =>
  `${t.calls} calls: ${t.results} results, ${t.refused} typed errors, ${t.flips} damaged cursors refused, ` +
  `slowest ${Math.round(t.slowest)} ms, ${Math.round((Date.now() - began) / 1000)} s`;
try {
  const tally = await fuzz(Number(options.calls), Number(options.seed), engine, (t) => {
    console.error(`... ${said(t)}`);
    return options.seconds === undefined || Date.now() - began < 1000 * Number(options.seconds);
  });
  console.log(`seed ${options.seed}, ${engine}: ${said(tally)}; none was forbidden`);
} catch (error) {
  console.error(`seed ${options.seed}, ${engine}: ${error instanceof Error ? error.stack : String(error)}`);
  failed = true;
} finally {
  await server?.stop();
}
// embedded-postgres ends the process by itself, and with 0, as soon as it is imported: nothing is left to it.
process.exit(failed ? 1 : 0);
