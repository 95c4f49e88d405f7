import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { runCommand } from "@pdpp/test-support/cli/run-in-process";
import { afterEach, beforeEach, expect, it } from "vitest";

/** A stand-in for `claude` changes the file as the real one does; tests/scenarios/agents-shelves.test.ts runs the real one. */

const claude = `
const { appendFileSync, readFileSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const args = process.argv.slice(2);
appendFileSync(join(process.env.HOME, "calls"), args.join(" ") + "\\n");
const file = join(process.env.HOME, ".claude.json");
let held = {};
try { held = JSON.parse(readFileSync(file, "utf8")); } catch {}
const servers = (held.mcpServers ??= {});
const [, verb, , , name, json] = args;
if ((verb === "add-json") === (name in servers)) process.exit(1);
if (verb === "add-json") servers[name] = JSON.parse(json);
else delete servers[name];
writeFileSync(file, JSON.stringify(held));
`;

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "pdpp-own-"));
  mkdirSync(join(home, "bin"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function installClaude(script: string): void {
  const file = join(home, "bin/claude");
  writeFileSync(`${file}.cjs`, script);
  writeFileSync(file, `#!/bin/sh\nexec "${process.execPath}" "${file}.cjs" "$@"\n`);
  chmodSync(file, 0o755);
}

const setup = async (...args: string[]): Promise<string> => {
  const path = [join(home, "bin"), dirname(process.execPath), "/bin", "/usr/bin"].join(":");
  const env = { HOME: home, USERPROFILE: home, CLAUDE_CONFIG_DIR: "", PATH: path };
  const ran = await runCommand(["setup", "claude-code", "--json", ...args], { env });
  expect(ran.code, ran.stderr).toBe(0);
  return (JSON.parse(ran.stdout) as { status: string }).status;
};
const readServers = (): object => JSON.parse(readFileSync(join(home, ".claude.json"), "utf8")).mcpServers;
const takeCalls = (): string[] => {
  const file = join(home, "calls");
  const made = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  rmSync(file, { force: true });
  return made.map((call) => call.split(" ").slice(0, 5).join(" "));
};
const toUrl = (port: number): [string, string] => ["--provider-url", `http://127.0.0.1:${port}`];
const toEntry = (port: number): object => ({ type: "http", url: `http://localhost:${port}/mcp` });

it.skipIf(process.platform === "win32")(
  "[SET-11] adds, replaces and removes the entry with the agent's own command",
  async () => {
    installClaude(claude);
    expect(await setup("--write", ...toUrl(9))).toBe("created");
    expect(takeCalls()).toEqual(["mcp add-json --scope user pdpp"]);
    expect(await setup("--write", ...toUrl(9))).toBe("unchanged");
    expect(takeCalls()).toEqual([]);
    expect(await setup("--write", ...toUrl(11))).toBe("updated");
    expect(takeCalls()).toEqual(["mcp remove --scope user pdpp", "mcp add-json --scope user pdpp"]);
    expect(readServers()).toEqual({ pdpp: toEntry(11) });
    expect(await setup("--remove")).toBe("removed");
    expect(takeCalls()).toEqual(["mcp remove --scope user pdpp"]);
    expect(readServers()).toEqual({});
  },
);

it.skipIf(process.platform === "win32").each([
  ["fails", "process.exit(1)"],
  ["changes nothing", ""],
])("[SET-11] edits the file if the command %s", async (_, script) => {
  installClaude(script);
  writeFileSync(join(home, ".claude.json"), JSON.stringify({ mcpServers: { other: toEntry(1) } }));
  expect(await setup("--write", ...toUrl(9))).toBe("updated");
  expect(readServers()).toEqual({ other: toEntry(1), pdpp: toEntry(9) });
  expect(await setup("--remove")).toBe("removed");
  expect(readServers()).toEqual({ other: toEntry(1) });
});
