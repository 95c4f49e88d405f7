import { startPostgres } from "@pdpp/test-support/postgres/embedded-postgres";
import { type FuzzTally, fuzz } from "../../tests/fuzz/fuzz.ts";
import { runOptions } from "../run-options.ts";

const options = runOptions(
  `npm run fuzz -- [options]

  --calls N          how many calls to make (20000)
  --seed N           which ones; printed, so that a run can be repeated
  --engine NAME      sqlite or postgres (sqlite)
  --seconds N        ends after so long, with what it has sent by then

  npm run fuzz -- --calls 1000000 --seed 1`,
  { calls: { type: "string" }, seed: { type: "string" }, seconds: { type: "string" } },
);

const { engine } = options;
const seed = options.whole("seed") ?? Date.now() % 1_000_000;
const calls = options.whole("calls") ?? 20_000;
const seconds = options.whole("seconds") ?? Number.POSITIVE_INFINITY;
const server =
  engine === "postgres" ? await startPostgres("-c", "fsync=off", "-c", "synchronous_commit=off") : undefined;
if (server !== undefined) process.env.PDPP_TEST_POSTGRES = server.url;
const began = Date.now();
let failed = false;
const said = (t: FuzzTally): string =>
  `${t.calls} calls: ${t.results} results, ${t.refused} typed errors, ${t.flips} damaged cursors refused, ` +
  `slowest ${Math.round(t.slowest)} ms, ${Math.round((Date.now() - began) / 1000)} s`;
try {
  const tally = await fuzz(calls, seed, engine, (t) => {
    console.error(`... ${said(t)}`);
    return Date.now() - began < 1000 * seconds;
  });
  failed = tally.calls === 0;
  console.log(`seed ${seed}, ${engine}: ${said(tally)}; ${failed ? "nothing was sent" : "none was forbidden"}`);
} catch (error) {
  console.error(`seed ${seed}, ${engine}: ${error instanceof Error ? error.stack : String(error)}`);
  failed = true;
} finally {
  await server?.stop();
}
// embedded-postgres ends the process by itself, and with 0, as soon as it is imported: nothing is left to it.
process.exit(failed ? 1 : 0);
