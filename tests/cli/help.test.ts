import { runPdpp } from "@pdpp/test-support/cli/run-pdpp";
import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { createProgram } from "../../packages/cli/src/main.ts";

const listCommands = (command: Command): Command[] =>
  command.commands.flatMap((child) => [child, ...listCommands(child)]);
const formatPath = (command: Command): string =>
  command.parent === null ? command.name() : `${formatPath(command.parent)} ${command.name()}`;

const all = listCommands(await createProgram([], false)).map((command): [string, Command] => [
  formatPath(command),
  command,
]);

function renderHelp(command: Command): string {
  const parts: string[] = [];
  command.configureOutput({ writeOut: (part) => void parts.push(part) }).outputHelp();
  return parts.join("");
}

describe("help", () => {
  test("[CLI-1] knows the commands of owners and of readers", () => {
    const owner = [
      "serve",
      "connector add",
      "connection remove",
      "ingest",
      "blob add",
      "grant create",
      "owner-token revoke",
    ];
    const reads = [
      "schema",
      "streams",
      "search",
      "field-window",
      "fetch",
      "query-records",
      "aggregate",
      "blob",
      "export",
    ];
    const reading = reads.map((name) => `read ${name}`);
    const expected = [...owner, ...reading, "log", "export", "delete", "prune", "doctor", "completion"].map(
      (path) => `pdpp ${path}`,
    );
    expect(all.map(([path]) => path)).toEqual(expect.arrayContaining(expected));
  });

  test.each(all)("%s --help has a summary and an example", (path, command) => {
    const help = renderHelp(command);
    expect(help).toMatch(new RegExp(`^Usage: ${path} .*\n\n\\S.{10,100}\n\n`));
    expect(help).toMatch(new RegExp(`Examples?:\n(.*\n)*.*${path}`));
    for (const option of ["--json", "--data-dir", "--database-url"]) expect(help).toContain(option);
  });

  test("the binary shows it", async () => {
    const [one, whole, alone] = await Promise.all([
      runPdpp(["grant", "create", "--help"]),
      runPdpp(["--help"]),
      runPdpp([]),
    ]);
    expect(one).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringContaining("pdpp grant create --file grant.json"),
    });
    expect(whole).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringMatching(/serve[\s\S]*doctor[\s\S]*Examples:/),
    });
    for (const line of whole.stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    expect(alone).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("pdpp serve --demo") });
    expect(alone.stdout.split("\n").length).toBeLessThanOrEqual(20);
  });

  test("[IMP-19] lists import and serve first, and commands for programs last", async () => {
    const { stdout } = await runPdpp([]);
    const places = ["pdpp import ~/Downloads/takeout.zip", "pdpp serve  ", "pdpp setup", "pdpp connector add"].map(
      (words) => stdout.indexOf(words),
    );
    expect(places.every((place) => place > 0)).toBe(true);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
  });
});
