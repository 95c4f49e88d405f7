import type { JsonObject } from "@pdpp/contract/declaration";
import { parseHits } from "../../../tests/evidence/shown-hits.ts";
import { answerFinder } from "../../../tests/evidence/words.ts";
import { cutMark, type HostClass } from "../../../tests/mcp/hosts/host-classes.ts";
import type { Session } from "../../../tests/mcp/hosts/session.ts";
import type { NaiveServer } from "./servers.ts";
import type { NaiveTask } from "./tasks.ts";

/**
 * Scripted agents that solve a task through one server each and stop when the answer is visible. Each is as careful as the server allows:
 * it reads names before it queries, and asks for less when the host cuts a result.
 */

/** How many results an agent reads before it gives up. */
const maxCalls = 24;
const hitsPerPage = 5;
/** What fits in a host that shows 2,000 characters. */
const hitsOnCutPage = 2;
const recordsPerPage = 100;

/** What the agent wrote and was shown, and whether it saw the answer. */
export interface Outcome {
  readonly calls: readonly string[];
  readonly shown: readonly string[];
  readonly isSolved: boolean;
}

/** Through our tools: search and the reads that hits offer, or the schema and one read. */
export async function solveWithPdpp(session: Session, task: NaiveTask, expected: readonly string[]): Promise<Outcome> {
  const { agent, noted } = session;
  const start = noted.length;
  const isIn = answerFinder(expected);
  const isVisible = () => noted.slice(start).some(({ shown }) => isIn(shown));
  const outcome = (): Outcome => ({
    calls: noted.slice(start).map(({ call }) => JSON.stringify(call)),
    shown: noted.slice(start).map(({ shown }) => shown),
    isSolved: isVisible(),
  });
  if (task.kind === "read") {
    await agent.ask("schema", {});
    const place = { stream: task.stream, connection_id: task.connection };
    await agent.ask("schema", place);
    await agent.ask(task.tool, { ...place, ...task.arguments });
    return outcome();
  }
  let page = await agent.ask("search", { query: task.question });
  if (page.cut && !isVisible()) page = await agent.ask("search", { query: task.question, limit: hitsOnCutPage });
  while (noted.length - start < maxCalls) {
    for (const { call } of parseHits(page.plain)) {
      if (isVisible() || noted.length - start >= maxCalls) return outcome();
      if (call !== undefined) await agent.follow(call);
    }
    const next = page.calls.find(({ tool, arguments: args }) => tool === "search" && args.cursor !== undefined);
    if (isVisible() || next === undefined) return outcome();
    page = await agent.follow(next);
  }
  return outcome();
}

/** Calls a naive server in a host of that class. A host that prefers the structured form shows the text if there is none. */
function openNaiveSession(server: NaiveServer, host: HostClass, expected: readonly string[]) {
  const calls: string[] = [];
  const shown: string[] = [];
  const isIn = answerFinder(expected);
  return {
    call(tool: string, args: JsonObject): string {
      const text = server.call(tool, args);
      calls.push(JSON.stringify({ tool, arguments: args }));
      shown.push(host.show({ content: [{ type: "text", text }] }) || text);
      return shown.at(-1)!;
    },
    isVisible: (): boolean => shown.some(isIn),
    end: (isSolved: boolean): Outcome => ({ calls, shown, isSolved }),
  };
}

export function solveWithDump(
  server: NaiveServer,
  host: HostClass,
  task: NaiveTask,
  expected: readonly string[],
): Outcome {
  const { call, isVisible, end } = openNaiveSession(server, host, expected);
  if (task.kind === "find") {
    const { isWhole } = readPages(
      (limit, offset) => call("search", { query: task.question, limit, offset }),
      hitsPerPage,
      isVisible,
    );
    return end(isWhole && isVisible());
  }
  call("list_streams", {});
  const { connection: source, stream } = task;
  const { records, isWhole } = readPages(
    (limit, offset) => call("list", { source, stream, limit, offset }),
    recordsPerPage,
    () => false,
  );
  return end(isWhole && expected.includes(task.compute(records)));
}

/** Reads page after page. If the host cuts one, asks for fewer records; a single record that is cut cannot be read whole. */
function readPages(
  read: (limit: number, offset: number) => string,
  perPage: number,
  isEnough: () => boolean,
): { readonly records: JsonObject[]; readonly isWhole: boolean } {
  const records: JsonObject[] = [];
  let isWhole = true;
  for (let [limit, offset, calls] = [perPage, 0, 0]; calls < 400; calls += 1) {
    const page = read(limit, offset);
    if (isEnough()) return { records, isWhole };
    if (page.includes(cutMark) && limit > 1) {
      limit = Math.ceil(limit / 2);
      continue;
    }
    if (page.includes(cutMark)) isWhole = false;
    const lines = parseLines(page);
    records.push(...lines);
    offset += limit;
    if (lines.length < limit && !page.includes(cutMark)) return { records, isWhole };
    if (perPage === hitsPerPage && calls >= maxCalls) return { records, isWhole };
  }
  return { records, isWhole: false };
}

/** The records on a page, from the text or from a raw result. */
function parseLines(page: string): JsonObject[] {
  const text = page.startsWith('{"content"') && !page.includes(cutMark) ? JSON.parse(page).content[0].text : page;
  return String(text)
    .split("\n")
    .flatMap((line) => (line.startsWith("{") && line.endsWith("}") ? [JSON.parse(line) as JsonObject] : []));
}

interface SqlServer extends NaiveServer {
  readonly textTables: readonly { readonly name: string; readonly columns: readonly string[] }[];
}

export function solveWithSql(
  server: SqlServer,
  host: HostClass,
  task: NaiveTask,
  expected: readonly string[],
): Outcome {
  const { call, isVisible, end } = openNaiveSession(server, host, expected);
  call("list_tables", {});
  if (task.kind === "read") {
    const [, table = ""] = /FROM (\w+)/.exec(task.sql) ?? [];
    call("describe_table", { table });
    call("query", { sql: task.sql });
    return end(isVisible());
  }
  for (const { name, columns } of server.textTables) {
    call("describe_table", { table: name });
    const select = writeSelect(name, columns, task.keywords);
    for (let limit = hitsPerPage; limit >= 1; limit = Math.floor(limit / 2)) {
      const rows = call("query", { sql: `${select} LIMIT ${limit}` });
      if (isVisible()) return end(true);
      if (!rows.includes(cutMark)) break;
    }
  }
  return end(false);
}

function writeSelect(table: string, columns: readonly string[], keywords: readonly string[]): string {
  const matches = keywords.map((word) => `(${columns.map((column) => `${column} LIKE '%${word}%'`).join(" OR ")})`);
  return `SELECT ${columns.join(", ")} FROM ${table} WHERE ${matches.join(" AND ")}`;
}
