import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { runProgram } from "@pdpp/test-support/cli/run-pdpp";
import { buildExecutable, type InstalledProgram } from "@pdpp/test-support/package/installed-package";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHome, testInstalledProgram } from "./installed-program.ts";

describe("the single executable", () => {
  let built: InstalledProgram;
  let env: Record<string, string>;
  beforeAll(() => {
    built = buildExecutable();
    env = createHome(built);
  });
  afterAll(() => built?.remove());

  const runWith = (words: readonly string[], extra: Record<string, string> = {}) =>
    runProgram(built.command, words, { env: { ...env, ...extra } });

  it("[PKG-13] is one file of less than 140 MB that needs no Node", async () => {
    expect(statSync(built.command).size).toBeLessThan(140e6);
    const { code, stdout } = await runWith(["--version"], { PATH: "/nowhere" });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)]);
  });

  it("[PKG-14] unpacks itself once when several start at the same time", async () => {
    rmSync(env.XDG_CACHE_HOME!, { recursive: true, force: true });
    const started = await Promise.all([1, 2, 3].map(() => runWith(["--version"])));
    expect(started.map(({ code, stderr }) => [code, stderr])).toEqual([1, 2, 3].map(() => [0, ""]));
    const programs = join(env.XDG_CACHE_HOME!, "pdpp/programs");
    expect(readdirSync(programs)).toHaveLength(1);
    expect(existsSync(join(programs, readdirSync(programs)[0]!, "THIRD-PARTY-NOTICES.txt"))).toBe(true);
  });

  it("[PKG-14] says in one line where it cannot unpack itself", async () => {
    const { code, stderr } = await runWith(["--version"], { XDG_CACHE_HOME: built.command });
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^error: pdpp cannot unpack itself into .*XDG_CACHE_HOME.*\n$/),
    ]);
  });

  it("[PKG-4] suggests commands by the name it was started with", async () => {
    const renamed = join(built.folder, "vault program");
    mkdirSync(renamed);
    copyFileSync(built.command, join(renamed, "my-pdpp"));
    const shell = (line: string): string =>
      execFileSync("/bin/sh", ["-c", line], { cwd: renamed, env: { ...process.env, ...env }, encoding: "utf8" });
    expect(shell("./my-pdpp update")).toContain("./my-pdpp backup FILE");
    expect(shell('PATH="$PWD:$PATH" my-pdpp update')).toMatch(/ my-pdpp backup FILE/);
    expect(shell(`"${renamed}/my-pdpp" update`)).toContain(`"${renamed}/my-pdpp" backup FILE`);
    expect(shell("./my-pdpp update")).toContain(`replace ${renamed}/my-pdpp with the newer executable`);
  });

  it("[PKG-13] ignores options meant for other programs that run on Node", async () => {
    const { code, stderr } = await runWith(["--version"], { NODE_OPTIONS: "--require /nowhere/hook.cjs" });
    expect([code, stderr]).toEqual([0, ""]);
  });

  testInstalledProgram(
    () => built,
    () => env,
    "Now remove the program: delete ",
  );
});
