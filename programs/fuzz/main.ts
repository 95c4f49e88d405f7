import { startPostgres } from "@pdpp/test-support/postgres/embedded-postgres";
import { type FuzzTally, runFuzz } from "../../tests/fuzz/fuzz.ts";
import { parseRunOptions } from "../run-options.ts";

const options = parseRunOptions(
  `npm run fuzz -- [options]

  --calls N          number of calls (default: 20000)
  --seed N           random seed; printed, so that a run can be repeated
  --engine NAME      sqlite or postgres (default: sqlite)
  --seconds N        stop after N seconds

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
const formatTally = (t: FuzzTally): string =>
  `${t.calls} calls: ${t.results} results, ${t.refused} typed errors, ${t.flips} damaged cursors rejected, ` +
  `slowest ${Math.round(t.slowest)} ms, ${Math.round((Date.now() - began) / 1000)} s`;
try {
  const tally = await runFuzz(calls, seed, engine, (t) => {
    console.error(`... ${formatTally(t)}`);
    return Date.now() - began < 1000 * seconds;
  });
  failed = tally.calls === 0;
  console.log(
    `seed ${seed}, ${engine}: ${formatTally(tally)}; ${failed ? "no calls were made" : "no forbidden results"}`,
  );
} catch (error) {
  console.error(`seed ${seed}, ${engine}: ${error instanceof Error ? error.stack : String(error)}`);
  failed = true;
} finally {
  await server?.stop();
}
// embedded-postgres exits the process with 0 once imported, so exit explicitly.
process.exit(failed ? 1 : 0);
