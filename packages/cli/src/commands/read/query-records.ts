import type { Command } from "commander";
import { formatRecords, formatRecordsTable } from "../../render/records.ts";
import { collectValues } from "../../runtime/command.ts";
import { addFilterOptions, parseExpandLimits, parseFilters, parseNames } from "./lists.ts";
import { addReadCommand, omitUndefined, onRead, requireArguments, toNumber } from "./reading.ts";

interface QueryOptions {
  readonly limit?: string;
  readonly cursor?: string;
  readonly order?: "asc" | "desc";
  readonly sort?: string;
  readonly count?: "none" | "estimated" | "exact";
  readonly window?: "none" | "exact";
  readonly changesSince?: string;
  readonly fields?: string;
  readonly view?: string;
  readonly filter?: string[];
  readonly filterJson?: string;
  readonly expand?: string;
  readonly expandLimit?: string[];
  readonly connectionId?: string;
}

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
  onRead<QueryOptions>(addFilterOptions(query), async ({ api, options, out, words }) => {
    const [stream = ""] = requireArguments(words, "stream");
    const cards = out.format === "card" && options.view === undefined;
    const asked = {
      stream,
      ...omitUndefined({
        connection_id: options.connectionId,
        limit: toNumber(options.limit) ?? (out.format === "card" ? 5 : undefined),
        cursor: options.cursor,
        order: options.order,
        sort: options.sort === undefined ? undefined : parseNames(options.sort),
        filter: parseFilters(options),
        fields: options.fields === undefined ? undefined : parseNames(options.fields),
        view: cards ? "evidence" : options.view,
        expand: options.expand === undefined ? undefined : parseNames(options.expand),
        expand_limit: parseExpandLimits(options.expandLimit),
        count: options.count,
        window: options.window,
        changes_since: options.changesSince,
      }),
    };
    const list = await api.queryRecords(asked);
    out.show(list, {
      card: (view) => formatRecords(view, list, asked),
      table: (view) => formatRecordsTable(view, list, asked),
    });
  });
}
