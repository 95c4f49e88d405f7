import { runPdpp, runProgram } from "@pdpp/test-support/cli/run-pdpp";
import { expect, test } from "vitest";

const buildScript = (script: string, words: string[]): string => `${script}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")})
COMP_CWORD=${words.length - 1}
_pdpp
printf '%s\\n' "\${COMPREPLY[@]}"`;

test("bash completes commands, subcommands and options", async () => {
  const { stdout: script } = await runPdpp(["completion", "bash"]);
  const complete = async (...words: string[]) =>
    (await runProgram("bash", ["-c", buildScript(script, ["pdpp", ...words])])).stdout.trim().split("\n");
  expect(await complete("rea")).toEqual(["read"]);
  expect(await complete("read", "f")).toEqual(["field-window", "fetch"]);
  expect(await complete("--json", "read", "field-window", "x", "--off")).toEqual(["--offset-chars"]);
  expect(await complete("grant", "cr")).toEqual(["create"]);
});

test("prints a script for the other shells, and lists the choices for an unknown one", async () => {
  const [zsh, fish, json, none] = await Promise.all([
    runPdpp(["completion", "zsh"]),
    runPdpp(["completion", "fish"]),
    runPdpp(["completion", "bash", "--json"]),
    runPdpp(["completion", "cmd"]),
  ]);
  expect(zsh.stdout).toMatch(/^#compdef pdpp\n/);
  expect(fish.stdout).toContain(`complete -c pdpp -n '__pdpp_at \\' read\\'' -f -a search`);
  expect(JSON.parse(json.stdout)).toMatchObject({ object: "completion", shell: "bash" });
  expect(none).toMatchObject({ code: 64, stdout: "", stderr: expect.stringContaining("bash, zsh, fish") });
});
