import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { cliTasks, type Shell } from "../../tests/mcp/hosts/cli-tasks.ts";
import { type Figure, measured, tableOf, tokenizer } from "../../tests/mcp/hosts/figure.ts";
import { hostClasses } from "../../tests/mcp/hosts/host-classes.ts";
import { type Get, restTasks } from "../../tests/mcp/hosts/rest-tasks.ts";
import { openSession } from "../../tests/mcp/hosts/session.ts";
import { type TaskKey, tasks } from "../../tests/mcp/hosts/tasks.ts";
import { openWorld, type World } from "../../tests/mcp/hosts/world.ts";
import { quickStart } from "../../tests/support/quick-start.ts";
import { runProgram } from "../../tests/support/run-pdpp.ts";

/** What fixed tasks cost on each surface: characters and tokens shown, calls, time, and whether the answer was right. */

const { values: options } = parseArgs({
  options: { json: { type: "boolean", default: false }, task: { type: "string" } },
});

const all = Object.keys(tasks) as TaskKey[];
const keys = all.filter((key) => options.task === undefined || key === options.task);
if (keys.length === 0) throw new Error(`--task must be one of ${all.join(", ")}`);
const world = await openWorld();
try {
  await warmUp(world);
  const figures: Figure[] = [];
  for (const host of hostClasses) for (const key of keys) figures.push(await onMcp(key, host));
  for (const key of keys) figures.push(await onRest(key));
  for (const key of keys) figures.push(await onCommandLine(key));
  const { tools } = await toolList();
  const list = { chars: tools.length, tokens: tokenizer.countTokens(tools) };
  process.stdout.write(
    options.json
      ? `${JSON.stringify({ tokens_by: tokenizer.name, node: process.version, tool_list: list, figures }, null, 2)}\n`
      : `Tokens by ${tokenizer.name}; Node ${process.version}. The list of tools: ${list.chars} characters, ${list.tokens} tokens.\n\n${tableOf(figures)}\n`,
  );
  if (figures.some(({ right }) => !right)) process.exitCode = 1;
} finally {
  await world.close();
}

/** The first request of a process compiles what the later ones use. */
async function warmUp(world: World): Promise<void> {
  const { agent, close } = await openSession(world, hostClasses[0]!, "2026-07-28");
  for (const { run, name } of Object.values(tasks)) if (name !== tasks.paging.name) await run(agent);
  await close();
}

async function toolList(): Promise<{ tools: string }> {
  const { agent, close } = await openSession(world, hostClasses[0]!, "2026-07-28");
  await close();
  return { tools: JSON.stringify(agent.tools) };
}

async function onMcp(key: TaskKey, host: (typeof hostClasses)[number]): Promise<Figure> {
  const session = await openSession(world, host, "2026-07-28");
  const figure = await measured(`MCP ${host.name}`, key, () => tasks[key].run(session.agent));
  await session.close();
  return figure(session.noted.map(({ shown }) => shown));
}

async function onRest(key: TaskKey): Promise<Figure> {
  const shown: string[] = [];
  const get: Get = async (address) => {
    const response = await fetch(new URL(address, world.url), { headers: { authorization: `Bearer ${world.token}` } });
    const body = await response.text();
    shown.push(body);
    return JSON.parse(body);
  };
  return (await measured("REST", key, () => restTasks[key](get)))(shown);
}

/** Each command is a process of its own; its start is in the time. */
async function onCommandLine(key: TaskKey): Promise<Figure> {
  const shown: string[] = [];
  const programs = fileURLToPath(new URL("../../node_modules/.bin", import.meta.url));
  const env = {
    PATH: `${programs}:${process.env.PATH}`,
    NODE_COMPILE_CACHE: quickStart.NODE_COMPILE_CACHE!,
    HOME: join(programs, "nowhere"),
    PDPP_ACCESS_TOKEN: world.token,
  };
  const sh: Shell = async (line) => {
    const { stdout, stderr } = await runProgram("sh", ["-c", line], { env });
    shown.push(`${stdout}${stderr}`);
    return `${stdout}${stderr}`;
  };
  return (await measured("command line", key, () => cliTasks(world.url)[key](sh)))(shown);
}
