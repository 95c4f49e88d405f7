import { runProgram } from "@pdpp/test-support/cli/run-pdpp";
import { expect, test } from "vitest";

/** A limit exceeded in `bench --check` must show in the exit code. */

const support = new URL("../support/postgres/embedded-postgres.ts", import.meta.url).href;
const runChild = (work: string) =>
  runProgram(process.execPath, [
    "--input-type=module-typescript",
    "-e",
    `import { startPostgres } from "${support}"; ${work}`,
  ]);

test("[MEAS-1] a failing measurement exits with 1, with and without a PostgreSQL server", async () => {
  const [without, with_] = await Promise.all([
    runChild("process.exitCode = startPostgres === undefined ? 2 : 1;"),
    runChild("const server = await startPostgres(); process.exitCode = 1; await server.stop();"),
  ]);
  expect([without.code, with_.code]).toEqual([1, 1]);
});
