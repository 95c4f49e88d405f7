import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type CliVault, createCliVault } from "@pdpp/test-support/cli/cli-vault";
import { cleanEnvironment, pdppFile } from "@pdpp/test-support/cli/run-pdpp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const messages = 60_000;
const pad = (n: number): string => String(n).padStart(2, "0");

/** That it does go on is what kill.test.ts proves. */

describe("Ctrl-C", () => {
  let vault: CliVault;
  let file: string;
  beforeAll(() => {
    vault = createCliVault();
    file = join(vault.directory, "WhatsApp Chat with Ada.txt");
    const lines = Array.from(
      { length: messages },
      (_, n) => `${pad(13 + (n % 15))}/01/2024, ${pad(n % 24)}:${pad(n % 60)} - Ada: the boiler, for the ${n}th time`,
    );
    writeFileSync(file, lines.join("\n"));
  });
  afterAll(() => vault.drop());
  const given = ["--time-zone", "Europe/Berlin", "--me", "Ada", "--yes"];

  /** Begins the import and interrupts it as soon as the moment has come. */
  async function interruptImport(more: readonly string[], moment: () => Promise<boolean>) {
    const args = ["import", file, ...given, ...more, "--data-dir", join(vault.directory, "vault")];
    const child = spawn(process.execPath, [pdppFile, ...args], { env: cleanEnvironment({ HOME: vault.directory }) });
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (data) => {
      stdout += data;
    });
    child.stderr.on("data", (data) => {
      stderr += data;
    });
    const ended = new Promise((resolve) => child.on("close", (code, signal) => resolve([code, signal])));
    while (!(await moment())) await wait(50);
    child.kill("SIGINT");
    return { ended: await ended, stdout, stderr };
  }
  const isBegun = async (): Promise<boolean> => (await vault.json<{ data: unknown[] }>(["imports"])).data.length > 0;

  it("[IMP-6] while storing, says that running the same command resumes", async () => {
    expect(await interruptImport(["--json"], isBegun)).toEqual({
      ended: [130, null],
      stdout: "",
      stderr: "Stopped. Records imported so far are kept; run the same command to continue.\n",
    });
    const list = await vault.run(["imports"]);
    expect([list.stdout, list.stderr]).toEqual([
      expect.stringContaining("not finished"),
      expect.stringContaining("run the same npx pdpp import command again"),
    ]);
  });
});
