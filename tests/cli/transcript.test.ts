import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cleanEnvironment, pdppFile, runProgram } from "@pdpp/test-support/cli/run-pdpp";
import { runWhileServing } from "@pdpp/test-support/processes/server-process";
import { afterAll, expect, test } from "vitest";

/** The transcript of docs/command-line.md is run on a terminal, against the demo vault, and compared. */

const page = readFileSync(new URL("../../docs/command-line.md", import.meta.url), "utf8");
const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "pdpp-transcript-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const [steps = [], ...others] = [...page.matchAll(/```console\n([\s\S]+?)```/g)].map(([, block]) =>
  block!
    .split(/^\$ /m)
    .slice(1)
    .map((step) => ({ command: step.slice(0, step.indexOf("\n")), output: step.slice(step.indexOf("\n") + 1) })),
);

const removeVolatile = (text: string): string =>
  text
    .replaceAll("\r\n", "\n")
    .replaceAll(/\b[0-9a-f]{16}\b/g, "NONCE")
    .replaceAll(/--cursor[= ]\S+/g, "--cursor CURSOR");

test("[LAD-7] [CLI-1] three commands, none wider than the screen, lead to the right window", () => {
  expect(steps).toHaveLength(3);
  for (const { command } of steps) expect(command.length).toBeLessThanOrEqual(80);
  expect(steps[0]!.command).toBe("npm start");
});

test("[LAD-7] [CLI-1] [CLI-3] the documented transcript matches the real output", async (context) => {
  if (!existsSync("/usr/bin/script")) return context.skip("/usr/bin/script, which makes a terminal, is not here");
  const args = ["--demo", "--data-dir", folder];
  await runWhileServing(args, cleanEnvironment(), async ({ url, demo_token: token = "" }) => {
    const env = {
      PDPP_PROVIDER_URL: url,
      PDPP_ACCESS_TOKEN: token,
      NO_COLOR: "1",
      TERM: "xterm",
      HOME: folder,
      TZ: "Europe/Berlin",
    };
    expect(others.flat()).toHaveLength(1);
    for (const { command, output } of [...steps.slice(1), ...others.flat()]) {
      const installed = command.replace(/^npx pdpp/, `'${process.execPath}' '${pdppFile}'`);
      const { code, stdout } = await runProgram("/usr/bin/script", ["-qec", installed, "/dev/null"], {
        env,
        cwd: root,
      });
      expect([code, removeVolatile(stdout.replace("^D\u0008\u0008", ""))]).toEqual([0, removeVolatile(output)]);
    }
    const [, start, length] = /^characters (\d+) to \d+ of (\d+)/m.exec(steps.at(-1)!.output)!;
    expect([Number(start) > 1000, Number(length) > 3000]).toEqual([true, true]);
    expect(steps.at(-1)!.output.replaceAll("\n", " ")).toContain("must stay at plus 3 degrees");
  });
});
