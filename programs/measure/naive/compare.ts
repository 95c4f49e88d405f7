import { openDemo } from "../../../tests/evidence/demo-set.ts";
import { type HostClass, hostClasses } from "../../../tests/mcp/hosts/host-classes.ts";
import { openSession } from "../../../tests/mcp/hosts/session.ts";
import type { World } from "../../../tests/mcp/hosts/world.ts";
import { countTokens } from "../figure.ts";
import { type Column, count, formatTable } from "../table.ts";
import { type Outcome, solveWithDump, solveWithPdpp, solveWithSql } from "./agents.ts";
import {
  createDumpServer,
  createSqlServer,
  type DemoRecordRow,
  dumpName,
  listDemoRecords,
  type NaiveServer,
  sqlName,
} from "./servers.ts";
import { type NaiveTask, naiveTasks } from "./tasks.ts";

/** What forty tasks cost through pdpp and through two naive servers over the same records. */
export interface NaiveFigure {
  readonly server: string;
  readonly host: string;
  readonly tasks: number;
  readonly solved: number;
  readonly calls: number;
  /** Of the results. */
  readonly bytes: number;
  /** What the model writes and reads: the tool list once, every call and every result. */
  readonly tokens: number;
  readonly unsolved: readonly string[];
}

const ours = "pdpp";

export async function compareWithNaive(
  hosts: readonly HostClass[] = hostClasses,
  tasks: readonly NaiveTask[] = naiveTasks,
): Promise<NaiveFigure[]> {
  const records = listDemoRecords();
  const asked = tasks.map((task) => ({ task, expected: listAnswers(task, records) }));
  const [dump, sql] = [createDumpServer(records), createSqlServer(records)];
  const world = await openDemo();
  try {
    const figures: NaiveFigure[] = [];
    for (const host of hosts) {
      const tools = await readToolList(world, host);
      const outcomes: Outcome[] = [];
      for (const { task, expected } of asked) outcomes.push(await solveInSession(world, host, task, expected));
      figures.push(
        computeFigure({ name: ours, tools }, host, tasks, outcomes),
        computeFigure(
          dump,
          host,
          tasks,
          asked.map(({ task, expected }) => solveWithDump(dump, host, task, expected)),
        ),
        computeFigure(
          sql,
          host,
          tasks,
          asked.map(({ task, expected }) => solveWithSql(sql, host, task, expected)),
        ),
      );
    }
    return figures;
  } finally {
    await world.close();
    dump.close();
    sql.close();
  }
}

async function readToolList(world: World, host: HostClass): Promise<string> {
  const session = await openSession(world, host, "2026-07-28");
  await session.close();
  return JSON.stringify(session.agent.tools);
}

async function solveInSession(
  world: World,
  host: HostClass,
  task: NaiveTask,
  expected: readonly string[],
): Promise<Outcome> {
  const session = await openSession(world, host, "2026-07-28");
  try {
    return await solveWithPdpp(session, task, expected);
  } finally {
    await session.close();
  }
}

function listAnswers(task: NaiveTask, records: readonly DemoRecordRow[]): readonly string[] {
  if (task.kind === "find") return task.answers;
  const rows = records.filter(({ connection, stream }) => connection === task.connection && stream === task.stream);
  return [task.compute(rows.map(({ data }) => data))];
}

function computeFigure(
  { name, tools }: Pick<NaiveServer, "name" | "tools">,
  host: HostClass,
  tasks: readonly NaiveTask[],
  outcomes: readonly Outcome[],
): NaiveFigure {
  const shown = outcomes.flatMap((outcome) => outcome.shown);
  return {
    server: name,
    host: host.name,
    tasks: outcomes.length,
    solved: outcomes.filter(({ isSolved }) => isSolved).length,
    calls: shown.length,
    bytes: shown.reduce((sum, text) => sum + Buffer.byteLength(text), 0),
    tokens: [tools, ...outcomes.flatMap(({ calls }) => calls), ...shown].reduce(
      (sum, text) => sum + countTokens(text),
      0,
    ),
    unsolved: tasks.flatMap(({ question }, index) => (outcomes[index]?.isSolved ? [] : [question])),
  };
}

/** The host class in which the comparison with SQL must hold: where a host shows both forms, ours counts twice. */
const textHost = "content-only";

/** Everything must be solved, with at most a third of the tokens of whole records; in hosts that show the text also with fewer than SQL. */
export function findNaiveProblems(figures: readonly NaiveFigure[]): string[] {
  const findTokens = (name: string, host: string): number =>
    figures.find((figure) => figure.host === host && figure.server === name)?.tokens ?? Number.POSITIVE_INFINITY;
  return figures
    .filter(({ server }) => server === ours)
    .flatMap(({ host, solved, tasks, unsolved, tokens }) => [
      ...(solved < tasks ? [`${host}: not solved: ${unsolved.join("; ")}`] : []),
      ...(tokens * 3 > findTokens(dumpName, host) ? [`${host}: over a third of the tokens of whole records`] : []),
      ...(host === textHost && tokens >= findTokens(sqlName, host) ? [`${host}: not fewer tokens than SQL`] : []),
    ]);
}

const columns: readonly Column<NaiveFigure>[] = [
  { head: "host class", cell: ({ host }) => host },
  { head: "server", cell: ({ server }) => server },
  { head: "solved", cell: ({ solved, tasks }) => `${solved} of ${tasks}`, number: true },
  { head: "calls", cell: ({ calls }) => count(calls), number: true },
  { head: "bytes", cell: ({ bytes }) => count(bytes), number: true },
  { head: "tokens", cell: ({ tokens }) => count(tokens), number: true },
];

export const formatNaiveFigures = (figures: readonly NaiveFigure[]): string => formatTable(columns, figures);
