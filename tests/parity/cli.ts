import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runInProcess } from "@pdpp/test-support/cli/run-in-process";
import { type RunResult, runPdpp } from "@pdpp/test-support/cli/run-pdpp";
import { buildCommandWords, callOfWords, splitWords } from "./cli-run.ts";
import { aggregateSaid, parseDocument, parseRecords, parseSchema, parseWindow, searchSaid } from "./cli-text.ts";
import { type Answer, computeDigest, type Loose, type NeutralAnswer, type Offer, type Surface } from "./neutral.ts";

/** Adapter for the command line, where a continuation is a shell command. */

export function createCliSurface(url: string, token: string, home: string): Surface {
  const env = { PDPP_ACCESS_TOKEN: token, PDPP_PROVIDER_URL: url, HOME: home };
  const run = async (words: readonly string[]): Promise<Answer> => {
    const asked = words.includes("--format") ? words : [...words, "--format", "card"];
    const ran = await runInProcess(asked, { env });
    if (ran.code !== 0) return { said: await parseFailure(words, ran), offers: [] };
    const { operation } = callOfWords(words);
    return {
      said: { ...parseOutput(words[1]!, ran.stdout), ...parseWarnings(operation, ran.stderr) },
      offers: listCommands(ran.stdout).map((command): Offer => {
        const next = splitWords(command);
        return {
          call: callOfWords(next),
          spelled: command,
          follow: () => (next[1] === "blob" ? bytes(next) : next.includes("json") ? record(next) : run(next)),
        };
      }),
    };
  };
  /** Writes to a file that is removed with its folder. */
  const bytes = async (words: readonly string[]): Promise<Answer> => {
    const ran = await runPdpp(words, { env, cwd: home });
    if (ran.code !== 0) return { said: await parseFailure(words, ran), offers: [] };
    const file = join(home, words[words.indexOf("--output") + 1] ?? "");
    return { said: { bytes: computeDigest(readFileSync(file)) }, offers: [] };
  };
  /** The record as JSON, for a base64 value. */
  const record = async (words: readonly string[]): Promise<Answer> => {
    const ran = await runInProcess(words, { env });
    if (ran.code !== 0) return { said: await parseFailure(words, ran), offers: [] };
    return { said: { bytes: computeDigest(JSON.stringify((JSON.parse(ran.stdout) as Loose).data)) }, offers: [] };
  };
  /** People see a message; the code is in the JSON output. */
  const parseFailure = async (words: readonly string[], ran: RunResult): Promise<NeutralAnswer> => {
    const { stderr, code } = await runInProcess(
      [...words.filter((word, i) => word !== "--format" && words[i - 1] !== "--format"), "--json"],
      { env },
    );
    const { error } = JSON.parse(stderr) as Loose;
    if (code !== ran.code || !ran.stderr.includes(error.message))
      throw new Error(`two failures: ${ran.stderr} ${stderr}`);
    return {
      error: {
        code: error.code,
        candidates: (error.available_connections ?? []).map((each: Loose) => each.connection_id),
      },
    };
  };
  return { name: "CLI", ask: (call) => run(buildCommandWords(call)), close: async () => undefined };
}

function parseOutput(command: string, text: string): NeutralAnswer {
  const toCall = (line: string) => callOfWords(splitWords(line));
  switch (command) {
    case "schema":
      return parseSchema(text);
    case "search":
      return searchSaid(text, toCall);
    case "query-records":
      return parseRecords(text, toCall);
    case "aggregate":
      return aggregateSaid(text);
    case "fetch":
      return parseDocument(text, toCall);
    default:
      return parseWindow(text, toCall);
  }
}

/** Warnings are on stderr. */
const parseWarnings = (operation: string, stderr: string): Pick<NeutralAnswer, "warnings"> =>
  ["search", "queryRecords", "readField"].includes(operation)
    ? { warnings: [...stderr.matchAll(/^warning: (\w+) /gm)].map(([, code]) => code!).sort() }
    : {};

/** The command that reads a field's bytes, after their description. */
const listBytesCommands = (line: string): string[] =>
  /^ {2}\S+ +(?:"[^"]*"|[^"]*?), \d+ (?:bytes?|characters): (pdpp read .*)$/.exec(line)?.slice(1) ?? [];

/** Lines outside record text. */
function listCommands(text: string): string[] {
  const commands: string[] = [];
  let boundary: string | undefined;
  for (const line of text.split("\n")) {
    const opened = /^<<TEXT (\S+)$/.exec(line)?.[1];
    if (boundary === undefined && opened !== undefined) boundary = `${opened} TEXT>>`;
    else if (line === boundary) boundary = undefined;
    else if (boundary === undefined) commands.push(...(/^-> (.*)$/.exec(line)?.slice(1) ?? listBytesCommands(line)));
  }
  return commands;
}
