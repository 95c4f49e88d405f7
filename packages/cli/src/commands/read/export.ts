import { createWriteStream } from "node:fs";
import { NoResponseError, PdppError } from "@pdpp/contract/errors";
import type { Input, ReadApi } from "@pdpp/contract/operations";
import { formatHandle } from "@pdpp/evidence/handles/handle";
import type { Command } from "commander";
import { parseJsonObject } from "../../input/parse-json.ts";
import { parseRecordId } from "../../input/record-id.ts";
import { buildCommand } from "../../render/continuation.ts";
import { showProgress } from "../../render/terminal/progress.ts";
import { omitUndefined } from "../../runtime/command.ts";
import { UsageError } from "../../runtime/failure.ts";
import { truncateToWholeLines } from "./partial-file.ts";
import { addReadCommand, onRead, type Reading, requireArguments } from "./reading.ts";
import { pipeBytes, toBlocks, toJsonList, toLines } from "./write.ts";

interface ExportOptions {
  readonly stream?: string;
  readonly connectionId?: string;
  readonly after?: string;
  readonly output?: string;
  readonly resume?: boolean;
}

export function addReadExport(group: Command): void {
  const exporting = addReadCommand(group, "export", "", "Write every record you can read, one JSON object per line", [
    "pdpp read export > everything.ndjson",
    "pdpp read export --stream messages --output messages.ndjson",
    "pdpp read export --output everything.ndjson --resume",
  ])
    .option("--stream <name>", "only this stream")
    .option("--connection-id <id>", "only this connection")
    .option("--after <id>", "only records after this one (connection_id/stream:record_id)")
    .option("--output <file>", "write to a file; shows progress on a terminal")
    .option("--resume", "with --output: continue after the last complete record in the file");
  onRead<ExportOptions>(exporting, async (reading) => {
    const { options, words } = reading;
    requireArguments(words);
    if (options.format === "table" || options.format === "card")
      throw new UsageError(`exports are always JSON; drop --format ${options.format}`);
    const after = options.after === undefined ? undefined : parseAfter(options.after);
    const input = omitUndefined({ stream: options.stream, connection_id: options.connectionId, after });
    if (options.output !== undefined) return exportToFile(reading, input, options.output);
    if (options.resume) throw new UsageError("--resume needs --output FILE; without a file, use --after ID");
    const records = readLines(reading, input, () => undefined);
    const asked = options.json || options.format === "json" ? "json" : "jsonl";
    const text = asked === "json" ? toJsonList(records) : toLines(records);
    await pipeBytes(process.stdout, toBlocks(text));
  });
}

const parseAfter = (text: string): string => {
  const handle = parseRecordId(text);
  if (handle === null) throw new UsageError(`--after ${JSON.stringify(text)} is not connection_id/stream:record_id`);
  return formatHandle(handle);
};

/** Streams lines of records. If the connection breaks, the error contains the command to continue. */
async function* readLines(
  { api, commandContext }: Reading<ExportOptions>,
  input: Input<"export">,
  onRecord: (count: number) => void,
): AsyncGenerator<string> {
  let count = 0;
  let last: string | undefined;
  try {
    for await (const lines of api.exportLines(input)) {
      count += countLines(lines);
      last = lines;
      yield lines;
      onRecord(count);
    }
  } catch (error) {
    if (!canResume(error) || last === undefined) throw error;
    const next = buildCommand(
      "export",
      { ...input, after: parseLastHandle("the answer", last.slice(last.lastIndexOf("\n") + 1)) },
      commandContext,
    );
    throw createResumeError(error, `received ${count} records`, next);
  }
}

const createResumeError = ({ message }: PdppError, received: string, next: string): Error =>
  Object.assign(new NoResponseError(`${message.replace(/; continue with.*/, "")}; ${received}; continue with`), {
    details: { next_step: `-> ${next}` },
  });

/** True if the connection broke or the server's time limit ended the export. */
const canResume = (error: unknown): error is PdppError =>
  error instanceof NoResponseError || (error instanceof PdppError && error.code === "resource_limit");

async function exportToFile(reading: Reading<ExportOptions>, input: Input<"export">, file: string): Promise<void> {
  const { options, out, api } = reading;
  const held = await truncateToWholeLines(file, options.resume === true);
  if (held.lastLine !== undefined && input.after !== undefined)
    throw new UsageError("--after and --resume cannot be combined; --resume finds the position in the file");
  const from = held.lastLine === undefined ? input : { ...input, after: parseLastHandle(file, held.lastLine) };
  const bar = showProgress("exporting", await countRecords(api, from), "records");
  let written = 0;
  try {
    const records = readLines(reading, from, (count) => {
      written = count;
      bar.update(count);
    });
    await pipeBytes(createWriteStream(file, { flags: "a" }), toBlocks(toLines(records)), true);
  } catch (error) {
    if (!canResume(error)) throw error;
    const next = buildCommand("export", input, {
      ...reading.commandContext,
      also: { ...reading.commandContext.also, output: file },
    });
    throw createResumeError(error, `records received so far are in ${file}`, `${next} --resume`);
  } finally {
    bar.stop();
  }
  const document = { object: "export", output: file, records: written, resumed: held.lastLine !== undefined };
  out.show(document, { card: () => `${file}: ${written} records${document.resumed ? " more" : ""}` });
}

function parseLastHandle(file: string, line: string): string {
  try {
    const { connection_id, stream, id } = parseJsonObject(line);
    if (typeof connection_id === "string" && typeof stream === "string" && typeof id === "string")
      return formatHandle({ connectionId: connection_id, stream, recordId: id });
  } catch {
    // Reported below.
  }
  throw new PdppError(
    "invalid_argument",
    `the last line of ${file} is not an exported record; choose another --output`,
  );
}

/** The total for the progress bar; unknown when resuming. */
async function countRecords(
  api: ReadApi,
  { stream, connection_id, after }: Input<"export">,
): Promise<number | undefined> {
  if (!process.stderr.isTTY || after !== undefined) return undefined;
  const { data } = await api.streams(omitUndefined({ connection_id }));
  return data.reduce((sum, row) => sum + (stream === undefined || row.name === stream ? row.record_count : 0), 0);
}

function countLines(lines: string): number {
  let count = 1;
  for (let at = lines.indexOf("\n"); at >= 0; at = lines.indexOf("\n", at + 1)) count += 1;
  return count;
}
