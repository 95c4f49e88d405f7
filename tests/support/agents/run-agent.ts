import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { dirname, join } from "node:path";
import { cleanEnvironment, type RunResult, runProgram } from "../cli/run-pdpp.ts";
import { type AgentPlace, agents } from "./agents.ts";
import { prompt, type Seen, startScriptedModel } from "./scripted-model.ts";

/**
 * Run in a network namespace with nothing but loopback: serves the demo with the program of a shelf, lets an agent install our files, and asks
 * it something. Prints what was seen.
 */

export interface AgentRun extends Seen {
  readonly commands: readonly { readonly command: string; readonly code: number | null; readonly output: string }[];
}

const [name, installed = "", shelves = "", home = ""] = process.argv.slice(2);
if (Object.keys(networkInterfaces()).some((each) => each !== "lo")) throw new Error("more than loopback is up");
const agent = agents.find((each) => each.name === name);
if (agent === undefined) throw new Error(`unknown agent ${name}`);

const program = join(shelves, "gemini-extension/server/pdpp.mjs");
const model = await startScriptedModel();
const place: AgentPlace = { installed, shelves, home, modelUrl: model.url, pdpp: [process.execPath, program] };
const env = {
  ...cleanEnvironment(),
  HOME: home,
  XDG_CONFIG_HOME: "",
  PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
  ...agent.env?.(place),
} as Record<string, string>;
for (const [path, text] of Object.entries(agent.files?.(place) ?? {})) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const server = spawn(process.execPath, [program, "serve", "--demo", "--json"], {
  env,
  stdio: ["ignore", "pipe", "inherit"],
});
await new Promise((resolve) => server.stdout.once("data", resolve));
const file = join(installed, agent.file);
const own = file.endsWith(".js") ? [process.execPath, file] : [file];
const work = join(home, "work");
mkdirSync(work, { recursive: true });

const commands: AgentRun["commands"][number][] = [];
async function run(words: readonly string[]): Promise<RunResult> {
  const [first = "", ...rest] = words[0] === "agent" ? [...own, ...words.slice(1)] : words;
  const ran = await runProgram(first, rest, { env, cwd: work });
  commands.push({ command: words.join(" "), code: ran.code, output: ran.stdout + ran.stderr });
  return ran;
}
for (const words of agent.install(place)) await run(words);
await run(["agent", ...agent.ask(prompt)]);
server.kill();
model.close();
process.stdout.write(`${JSON.stringify({ ...model.seen, commands } satisfies AgentRun)}\n`, () => process.exit(0));
