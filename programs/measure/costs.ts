import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runProgram } from "@pdpp/test-support/cli/run-pdpp";
import { compileCacheEnv } from "@pdpp/test-support/processes/compile-cache";
import { cliTasks, type Shell } from "../../tests/mcp/hosts/cli-tasks.ts";
import { type HostClass, hostClasses } from "../../tests/mcp/hosts/host-classes.ts";
import { type Get, restTasks } from "../../tests/mcp/hosts/rest-tasks.ts";
import { openSession } from "../../tests/mcp/hosts/session.ts";
import { type TaskKey, taskKeys, tasks } from "../../tests/mcp/hosts/tasks.ts";
import { openWorld, type World } from "../../tests/mcp/hosts/world.ts";
import { type Comparison, compared, comparisonTable, dearer } from "./before.ts";
import { type Figure, figureTable, measured, tokenizer } from "./figure.ts";
import { count } from "./table.ts";

/** What fixed tasks cost on each surface: characters and tokens shown, calls, time, and whether the answer was right. */
export interface Costs {
  readonly tokens_by: string;
  readonly node: string;
  readonly tool_list: { readonly chars: number; readonly tokens: number };
  readonly figures: readonly Figure[];
  /** With the kept table; of some tasks alone it would tell little. */
  readonly comparisons: readonly Comparison[];
}

export async function measureCosts(keys: readonly TaskKey[]): Promise<Costs> {
  const world = await openWorld();
  try {
    const tools = await warmUp(world);
    const figures: Figure[] = [];
    for (const host of hostClasses) for (const key of keys) figures.push(await onMcp(world, key, host));
    for (const key of keys) figures.push(await onRest(world, key));
    for (const key of keys) figures.push(await onCommandLine(world, key));
    return {
      tokens_by: tokenizer.name,
      node: process.version,
      tool_list: { chars: tools.length, tokens: tokenizer.countTokens(tools) },
      figures,
      comparisons: keys.length < taskKeys.length ? [] : compared(figures),
    };
  } finally {
    await world.close();
  }
}

export const costFaults = ({ figures, comparisons }: Costs): string[] => [
  ...figures
    .filter(({ right }) => !right)
    .map(({ surface, task, answer }) => `${surface}, ${task}: the answer was ${answer}`),
  ...dearer(comparisons).map(({ surface, now, before }) => `${surface}: ${count(now)} tokens, ${count(before)} before`),
];

export const costLines = ({ tokens_by, node, tool_list, figures, comparisons }: Costs): string[] => [
  `Tokens by ${tokens_by}; Node ${node}. The list of tools: ${count(tool_list.chars)} characters, ${count(tool_list.tokens)} tokens.`,
  figureTable(figures),
  ...(comparisons.length === 0 ? [] : [comparisonTable(comparisons)]),
];

/** The first request of a process compiles what the later ones use. Answers the list of tools, as it is shown. */
async function warmUp(world: World): Promise<string> {
  const [host] = hostClasses;
  if (host === undefined) throw new Error("there is no class of hosts");
  const { agent, close } = await openSession(world, host, "2026-07-28");
  for (const { run, name } of Object.values(tasks)) if (name !== tasks.paging.name) await run(agent);
  await close();
  return JSON.stringify(agent.tools);
}

async function onMcp(world: World, key: TaskKey, host: HostClass): Promise<Figure> {
  const session = await openSession(world, host, "2026-07-28");
  const figure = await measured(`MCP ${host.name}`, key, () => tasks[key].run(session.agent));
  await session.close();
  return figure(session.noted.map(({ shown }) => shown));
}

async function onRest(world: World, key: TaskKey): Promise<Figure> {
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
async function onCommandLine(world: World, key: TaskKey): Promise<Figure> {
  const shown: string[] = [];
  const programs = fileURLToPath(new URL("../../node_modules/.bin", import.meta.url));
  const env = {
    PATH: `${programs}:${process.env.PATH}`,
    NODE_COMPILE_CACHE: compileCacheEnv.NODE_COMPILE_CACHE ?? "",
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
