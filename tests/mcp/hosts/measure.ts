import { parseArgs } from "node:util";
import { hostClasses } from "./host-classes.ts";
import { type Get, restTasks } from "./rest-tasks.ts";
import { openSession } from "./session.ts";
import { type TaskKey, tasks } from "./tasks.ts";
import { openWorld, type World } from "./world.ts";

/** What fixed tasks cost on each surface: characters and tokens shown, calls, time, and whether the answer was right. */

interface Figure {
  readonly surface: string;
  readonly task: string;
  readonly calls: number;
  readonly chars: number;
  readonly tokens: number;
  readonly ms: number;
  readonly right: boolean;
  readonly answer: string;
}

const { values: options } = parseArgs({ options: { json: { type: "boolean", default: false } } });

const tokenizer = await import("gpt-tokenizer" as string).then(
  ({ countTokens }: { countTokens(text: string): number }) => ({ name: "gpt-tokenizer", countTokens }),
  () => ({ name: "characters / 4", countTokens: (text: string) => Math.ceil(text.length / 4) }),
);

const keys = Object.keys(tasks) as TaskKey[];
const world = await openWorld();
try {
  await warmUp(world);
  const figures: Figure[] = [];
  for (const host of hostClasses) for (const key of keys) figures.push(await onMcp(key, host));
  for (const key of keys) figures.push(await onRest(key));
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

/** Runs a task; its figure is made when what was shown is known. A task that breaks off has a wrong answer. */
async function measured(surface: string, key: TaskKey, run: () => Promise<string>) {
  const before = performance.now();
  const answer = await run().catch((error: Error) => error.message.slice(0, 200));
  const ms = performance.now() - before;
  return (shown: readonly string[]): Figure => ({
    surface,
    task: tasks[key].name,
    calls: shown.length,
    chars: shown.reduce((sum, { length }) => sum + length, 0),
    tokens: shown.reduce((sum, text) => sum + tokenizer.countTokens(text), 0),
    ms: Math.round(ms),
    right: answer === tasks[key].expected,
    answer,
  });
}

function tableOf(figures: readonly Figure[]): string {
  const rows = [
    ["surface", "task", "calls", "characters", "tokens", "ms", "answer"],
    ...figures.map(({ surface, task, calls, chars, tokens, ms, right }) => [
      ...[surface, task, ...[calls, chars, tokens, ms].map((value) => value.toLocaleString("en"))],
      right ? "right" : "WRONG",
    ]),
  ];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((cells) => cells[column]!.length)));
  const isNumber = (column: number) => column >= 2 && column <= 5;
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => (isNumber(i) ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!))).join(" | ")} |`;
  const rule = `|${widths.map((width, i) => (isNumber(i) ? `${"-".repeat(width + 1)}:` : "-".repeat(width + 2))).join("|")}|`;
  return [line(rows[0]!), rule, ...rows.slice(1).map(line)].join("\n");
}
