import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Runs the real binary in a child process. */

/** A file that starts another pdpp than that of the sources, such as an installed package; see installed-program.ts in ../vitest. */
export const testedProgram = process.env.PDPP_TEST_PROGRAM;

/** What the commands that it prints start with. */
export const printedCommand = process.env.PDPP_TEST_COMMAND ?? "npx pdpp";

export const pdppFile = testedProgram ?? fileURLToPath(new URL("../../../packages/cli/bin/pdpp.mjs", import.meta.url));

export interface RunResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly input?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** All but the one that vitest.config.ts sets. */
export const ownSetting = /^PDPP_(?!TIME_LIMIT_FACTOR$)/;

/** Keeps the developer's own settings out of the tests. */
export function cleanEnvironment(extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !ownSetting.test(name));
  return { ...Object.fromEntries(kept), ...extra };
}

export const runPdpp = (args: readonly string[], options: RunOptions = {}): Promise<RunResult> =>
  runProgram(process.execPath, [pdppFile, ...args], options);

export function runProgram(program: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const child = spawn(program, args, {
    env: cleanEnvironment(options.env),
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  return new Promise((resolve, reject) => {
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
    child.on("error", reject);
    child.on("close", (code) =>
      resolve({ code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() }),
    );
    child.stdin.on("error", () => undefined);
    child.stdin.end(options.input ?? "");
  });
}
