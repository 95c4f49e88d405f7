import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runProgram } from "@pdpp/test-support/cli/run-pdpp";
import { compileCacheEnv } from "@pdpp/test-support/processes/compile-cache";
import { createCliTasks, type Shell } from "../../tests/mcp/hosts/cli-tasks.ts";
import { type HostClass, hostClasses } from "../../tests/mcp/hosts/host-classes.ts";
import { type Get, restTasks } from "../../tests/mcp/hosts/rest-tasks.ts";
import { openSession } from "../../tests/mcp/hosts/session.ts";
import { type TaskKey, taskKeys, tasks } from "../../tests/mcp/hosts/tasks.ts";
import { openWorld, type World } from "../../tests/mcp/hosts/world.ts";
import { type Comparison, compareWithBefore, findDearer, formatComparisons } from "./before.ts";
import { type Figure, formatFigures, measureTask, tokenizer } from "./figure.ts";
import { count } from "./table.ts";

/** The cost of fixed tasks on each surface: characters and tokens shown, calls, time, and whether the answer was right. */
export interface Costs {
  readonly tokens_by: string;
  readonly node: string;
  readonly tool_list: { readonly chars: number; readonly tokens: number };
  readonly figures: readonly Figure[];
  /** Compares with the saved table only if all tasks were run. */
  readonly comparisons: readonly Comparison[];
}

export async function measureCosts(keys: readonly TaskKey[]): Promise<Costs> {
  const world = await openWorld();
  try {
    const tools = await runWarmUp(world);
    const figures: Figure[] = [];
    for (const host of hostClasses) for (const key of keys) figures.push(await onMcp(world, key, host));
    for (const key of keys) figures.push(await onRest(world, key));
    for (const key of keys) figures.push(await onCommandLine(world, key));
    return {
      tokens_by: tokenizer.name,
      node: process.version,
      tool_list: { chars: tools.length, tokens: tokenizer.countTokens(tools) },
      figures,
      comparisons: keys.length < taskKeys.length ? [] : compareWithBefore(figures),
    };
  } finally {
    await world.close();
  }
}

export const findCostProblems = ({ figures, comparisons }: Costs): string[] => [
  ...figures
    .filter(({ right }) => !right)
    .map(({ surface, task, answer }) => `${surface}, ${task}: the answer was ${answer}`),
  ...findDearer(comparisons).map(
    ({ surface, now, before }) => `${surface}: ${count(now)} tokens, ${count(before)} before`,
  ),
];

export const formatCosts = ({ tokens_by, node, tool_list, figures, comparisons }: Costs): string[] => [
  `Tokens by ${tokens_by}; Node ${node}. Tool list: ${count(tool_list.chars)} characters, ${count(tool_list.tokens)} tokens.`,
  formatFigures(figures),
  ...(comparisons.length === 0 ? [] : [formatComparisons(comparisons)]),
];

/** Warms up: the first request of a process compiles what later ones use. Returns the tool list as shown. */
async function runWarmUp(world: World): Promise<string> {
  const [host] = hostClasses;
  if (host === undefined) throw new Error("no host class");
  const { agent, close } = await openSession(world, host, "2026-07-28");
  for (const { run, name } of Object.values(tasks)) if (name !== tasks.paging.name) await run(agent);
  await close();
  return JSON.stringify(agent.tools);
}

async function onMcp(world: World, key: TaskKey, host: HostClass): Promise<Figure> {
  const session = await openSession(world, host, "2026-07-28");
  const figure = await measureTask(`MCP ${host.name}`, key, () => tasks[key].run(session.agent));
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
  return (await measureTask("REST", key, () => restTasks[key](get)))(shown);
}

/** Each command is a separate process; its start-up is included in the time. */
async function onCommandLine(world: World, key: TaskKey): Promise<Figure> {
  const shown: string[] = [];
  const programs = fileURLToPath(new URL("../../node_modules/.bin", import.meta.url));
  const env = {
    PATH: `${programs}:${process.env.PATH}`,
    NODE_COMPILE_CACHE: compileCacheEnv.NODE_COMPILE_CACHE ?? "",
    HOME: join(programs, "nowhere"),
    PDPP_ACCESS_TOKEN: world.token,
  };
  const runShell: Shell = async (line) => {
    const { stdout, stderr } = await runProgram("sh", ["-c", line], { env });
    shown.push(`${stdout}${stderr}`);
    return `${stdout}${stderr}`;
  };
  return (await measureTask("command line", key, () => createCliTasks(world.url)[key](runShell)))(shown);
}
