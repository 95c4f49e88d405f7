import { runProgram } from "@pdpp/test-support/cli/run-pdpp";
import { describe, expect, it } from "vitest";

const run = (program: string, ...args: string[]) =>
  runProgram(process.execPath, [new URL(`../../programs/${program}/main.ts`, import.meta.url).pathname, ...args]);

describe("[MEAS-4] a run that checks nothing", () => {
  it.each([
    ["proof", ["--vaults", "x"], /--vaults must be a whole number/],
    ["proof", ["--engine", "sqlit"], /--engine must be sqlite or postgres/],
    ["proof", ["--vault", "5"], /--vaults N/],
    ["proof", ["--vaults", "5", "--only", "5"], /no vault was walked/],
    ["fuzz", ["--calls", "many"], /--calls must be a whole number/],
    ["fuzz", ["--calls", "0"], /no calls were made/],
  ])("is an error: %s %j", async (program, args, says) => {
    const { code, stdout } = await run(program, ...args);
    expect(code).not.toBe(0);
    expect(stdout).toMatch(says);
    expect(stdout).not.toMatch(/all hold|no forbidden results/);
  });

  it("prints its usage", async () => {
    const { code, stdout } = await run("proof", "--help");
    expect([code, stdout]).toEqual([0, expect.stringMatching(/--seed N/)]);
  });
});
