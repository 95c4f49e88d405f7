import type { Command } from "commander";
import { formatRecords, formatRecordsTable } from "../../render/records.ts";
import { collectValues } from "../../runtime/command.ts";
import { addFilterOptions, pickArguments } from "./lists.ts";
import { addReadCommand, onRead, requireArguments } from "./reading.ts";

export function addQueryRecords(group: Command): void {
  const query = addReadCommand(group, "query-records", "<stream>", "List records, newest first", [
    "pdpp read query-records orders --limit 5",
    "pdpp read query-records orders --filter currency=JPY --filter 'total_amount>=100'",
    "pdpp read query-records messages --connection-id cin_mail --fields subject,from --format table",
    "pdpp read query-records orders --changes-since beginning --json",
  ])
    .option("--limit <n>", "1 to 100 records (default: 25, or 5 as cards)")
    .option("--cursor <cursor>", "continue after the previous page")
    .option("--order <order>", "asc or desc, by the stream's time")
    .option("--sort <field>", "the stream's cursor field; put - in front for newest first")
    .option("--count <kind>", "count matching records: none, estimated or exact")
    .option("--window <kind>", "earliest and latest time of all matches: none or exact")
    .option("--changes-since <bookmark>", 'changes since this bookmark, or since "beginning"')
    .option("--fields <names>", "only these fields, comma-separated")
    .option("--view <name>", "a view of the stream, or evidence for cards")
    .option("--expand <names>", "include related records, comma-separated")
    .option("--expand-limit <name=n>", "at most n of them (repeatable)", collectValues)
    .option("--connection-id <id>", "only this connection");
  onRead<{ view?: string }>(addFilterOptions(query), async ({ api, options, out, words }) => {
    const [stream = ""] = requireArguments(words, "stream");
    const isCard = out.format === "card";
    const { view = isCard ? "evidence" : undefined, ...given } = options;
    const asked = {
      stream,
      ...pickArguments("queryRecords", { limit: isCard ? 5 : undefined, ...given, view }),
    };
    const list = await api.queryRecords(asked);
    out.show(list, {
      card: (view) => formatRecords(view, list, asked),
      table: (view) => formatRecordsTable(view, list, asked),
    });
  });
}
