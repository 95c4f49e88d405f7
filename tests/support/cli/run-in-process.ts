import { createProgram } from "../../../packages/cli/src/main.ts";
import { reportFailure } from "../../../packages/cli/src/runtime/failure.ts";
import { captureOutput } from "./capture-output.ts";
import { ownSetting, type RunOptions, type RunResult, runPdpp, testedProgram } from "./run-pdpp.ts";

interface Surroundings {
  readonly env?: Readonly<Record<string, string>>;
  readonly terminal?: boolean;
}

/** Starts a process only for commands that need a standard input or a working directory of their own. */
export const runCommand = (argv: readonly string[], options: RunOptions = {}): Promise<RunResult> =>
  options.input === undefined && options.cwd === undefined ? runInProcess(argv, options) : runPdpp(argv, options);

let last: Promise<unknown> = Promise.resolve();

/** Runs a command in this process, which is much faster. Commands run one at a time because they share stdout. */
export function runInProcess(argv: readonly string[], surroundings: Surroundings = {}): Promise<RunResult> {
  // Only the sources can run in this process, and only they can be made to believe in a terminal.
  if (testedProgram !== undefined && !surroundings.terminal) return runPdpp(argv, surroundings);
  const ran = last.then(() => runNow(argv, surroundings));
  last = ran;
  return ran;
}

async function runNow(argv: readonly string[], { env = {}, terminal = false }: Surroundings): Promise<RunResult> {
  const kept = { ...process.env };
  const { isTTY } = process.stdout;
  const { printed, restore } = captureOutput();
  process.stdout.isTTY = terminal;
  for (const name of Object.keys(process.env))
    if (ownSetting.test(name) || name === "NO_COLOR") delete process.env[name];
  Object.assign(process.env, env);
  const json = argv.includes("--json");
  try {
    const program = await createProgram(argv, json);
    await program.parseAsync([...argv], { from: "user" });
    return { code: Number(process.exitCode ?? 0), ...printed };
  } catch (error) {
    const code = reportFailure(error, json, argv[0]);
    return { code, ...printed };
  } finally {
    restore();
    process.stdout.isTTY = isTTY;
    restoreEnvironment(kept);
    process.exitCode = undefined;
  }
}

/** Restores the variables in place: vitest's stubs of variables keep a reference to `process.env`. */
function restoreEnvironment(kept: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in kept)) delete process.env[name];
  Object.assign(process.env, kept);
}
