import { commandName } from "@pdpp/agent-setup/command-name";
import type { Input } from "@pdpp/contract/operations";
import type { FieldWindow } from "@pdpp/contract/wire";
import type { Command } from "commander";
import { formatFittedTable } from "../../render/terminal/table.ts";
import type { View } from "../../render/view.ts";
import {
  createWindowNonce,
  formatClosing,
  formatOpening,
  formatWindow,
  formatWindowFoot,
  formatWindowHead,
  formatWindowText,
} from "../../render/window.ts";
import { UsageError } from "../../runtime/failure.ts";
import { pickArguments } from "./lists.ts";
import { addReadCommand, onRead, type Reading } from "./reading.ts";
import { parseRecordArguments } from "./record.ts";
import { pipeText } from "./write.ts";

export function addFieldWindow(group: Command): void {
  const window = addReadCommand(group, "field-window", "<id>|<stream> <id>", "Read part of a long field", [
    "pdpp read field-window cin_mail/messages:m1 --field body --offset-chars 4000",
    "pdpp read field-window cin_mail/messages:m1 --field body --q warranty",
    "pdpp read field-window http://127.0.0.1:7663 messages m1 --field body --all",
  ])
    .option("--field <path>", "field, or a path such as a.b[0].c (required)")
    .option("--q <words>", "start at the first match of these words")
    .option("--offset-chars <n>", "start position (default: 0)")
    .option("--end-chars <n>", "end position, reading backwards from there")
    .option("--limit-chars <n>", "length, 1 to 16384 (default: 4096)")
    .option("--before-chars <n>", "with --q: characters before the match (default: 400)")
    .option("--after-chars <n>", "with --q: characters after the match (default: 1200)")
    .option("--cursor <cursor>", "cursor from an earlier window")
    .option("--version <version>", "version of the record (default: current)")
    .option("--all", "read to the end of the text")
    .option("--connection-id <id>", "connection, if several have the stream");
  onRead<{ field?: string; connectionId?: string; all?: boolean }>(window, async (reading) => {
    const { options, words } = reading;
    const record = parseRecordArguments(words, options.connectionId);
    if (options.field === undefined)
      throw new UsageError(`missing --field; list the fields with: ${commandName} read schema`);
    const input = { ...pickArguments("readField", options), ...record, field: options.field };
    return options.all ? showAll(reading, input) : showWindow(reading, input);
  });
}

/** `formatHead` adds lines about the record for people. */
export async function showWindow(
  { api, token, out }: Reading<unknown>,
  input: Input<"readField">,
  formatHead: (view: View) => string[] = () => [],
): Promise<void> {
  const window = await api.readField(input);
  out.show(window, {
    card: (view) =>
      [...(view.terminal ? formatHead(view) : []), formatWindow(view, window, createWindowNonce(token, window))].join(
        "\n",
      ),
    table: (view) =>
      formatFittedTable(
        view,
        ["FIELD", "FROM", "TO", "OF", "TEXT"],
        [
          [
            window.field.path,
            String(window.window.start_chars),
            String(window.window.end_chars),
            String(window.window.total_chars),
            window.window.text,
          ],
        ],
      ),
  });
}

/** Reads all windows of the same record version. */
async function* readWindows({ api }: Reading<unknown>, input: Input<"readField">): AsyncGenerator<FieldWindow> {
  let window = await api.readField(input);
  for (;;) {
    yield window;
    const cursor = window.window.next_cursor;
    if (cursor === null) return;
    const { stream, record_id, connection_id, field } = window;
    window = await api.readField({ stream, record_id, connection_id, field: field.path, cursor });
  }
}

/** Streams text or JSON lines; as JSON it joins all windows into one. */
async function showAll(reading: Reading<unknown>, input: Input<"readField">): Promise<void> {
  const { out, token } = reading;
  if (out.format === "card") return pipeText(process.stdout, formatWindows(reading, input, token));
  if (out.format === "jsonl") return pipeText(process.stdout, toJsonLines(reading, input));
  const windows = await Array.fromAsync(readWindows(reading, input));
  const [first, last] = [windows[0]!, windows.at(-1)!];
  const start = first.window.start_chars;
  const whole: FieldWindow = {
    ...first,
    window: {
      ...last.window,
      text: windows.map(({ window }) => window.text).join(""),
      start_chars: start,
      limit_chars: last.window.end_chars - start,
      complete: start === 0,
      previous_offset_chars: first.window.previous_offset_chars,
      previous_cursor: first.window.previous_cursor,
      match_start_chars: first.window.match_start_chars,
      match_end_chars: first.window.match_end_chars,
    },
    next: null,
    links: { ...first.links, next: null },
  };
  out.show(whole, { card: (view) => formatWindow(view, whole, createWindowNonce(token, whole)) });
}

async function* formatWindows(
  reading: Reading<unknown>,
  input: Input<"readField">,
  token: string,
): AsyncGenerator<string> {
  const { view, warn } = reading.out;
  let first: FieldWindow | undefined;
  let last: FieldWindow | undefined;
  for await (const window of readWindows(reading, input)) {
    if (first === undefined) {
      first = window;
      warn(window);
      yield `${formatWindowHead(view, window)}\n${formatOpening(createWindowNonce(token, window))}\n`;
    }
    last = window;
    yield formatWindowText(view, window);
  }
  const start = first!.window.start_chars;
  const foot = {
    ...last!,
    previous: first!.previous,
    window: { ...last!.window, start_chars: start, complete: start === 0 },
  };
  yield `\n${formatClosing(createWindowNonce(token, first!))}\n${formatWindowFoot(view, foot)}\n`;
}

async function* toJsonLines(reading: Reading<unknown>, input: Input<"readField">): AsyncGenerator<string> {
  for await (const window of readWindows(reading, input)) yield `${JSON.stringify(window)}\n`;
}
