import { reportFailure } from "@pdpp/cli/failure";
import { createProgram } from "@pdpp/cli/main";
import type { Ran } from "./run-pdpp.ts";

/** Commands in this process, which is what makes a table of them quick. One at a time: they print through its streams. */
export async function runHere(
  argv: readonly string[],
  { env = {}, terminal = false }: { env?: Readonly<Record<string, string>>; terminal?: boolean } = {},
): Promise<Ran> {
  const printed = { stdout: "", stderr: "" };
  const kept = { ...process.env };
  const real = { stdout: process.stdout.write, stderr: process.stderr.write, isTTY: process.stdout.isTTY };
  for (const name of ["stdout", "stderr"] as const)
    process[name].write = ((chunk: string | Uint8Array) => {
      printed[name] += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
      return true;
    }) as never;
  process.stdout.isTTY = terminal;
  for (const name of Object.keys(process.env)) if (/^(PDPP_|NO_COLOR$)/.test(name)) delete process.env[name];
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
    process.stdout.write = real.stdout;
    process.stderr.write = real.stderr;
    process.stdout.isTTY = real.isTTY;
    process.env = kept;
    process.exitCode = undefined;
  }
}
