import type { Command } from "commander";
import { recordsTable, recordsText } from "../../render/records.ts";
import { several } from "../../runtime/command.ts";
import { filterOf, filterOptions, limitsOf, names } from "./lists.ts";
import { exactly, given, numberOf, readCommand, reads } from "./reading.ts";

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
  const query = readCommand(group, "query-records", "<stream>", "A page of records, newest first", [
    "pdpp read query-records orders --limit 5",
    "pdpp read query-records orders --filter currency=JPY --filter 'total_amount>=100'",
    "pdpp read query-records messages --connection-id cin_mail --fields subject,from --format table",
    "pdpp read query-records orders --changes-since beginning --json",
  ])
    .option("--limit <n>", "1 to 100 records (default: 25, or 5 as cards)")
    .option("--cursor <cursor>", "continue after the previous page")
    .option("--order <order>", "asc or desc, by the stream's time")
    .option("--sort <field>", "the stream's cursor field; put - in front for newest first")
    .option("--count <kind>", "none, estimated or exact: how many records match")
    .option("--window <kind>", "none or exact: earliest and latest time of all that match")
    .option("--changes-since <bookmark>", 'what changed since this bookmark, or since "beginning"')
    .option("--fields <names>", "only these fields, comma-separated")
    .option("--view <name>", "a view of the stream, or evidence for cards")
    .option("--expand <names>", "include related records, comma-separated")
    .option("--expand-limit <name=n>", "at most n of them (repeatable)", several)
    .option("--connection-id <id>", "only this connection");
  reads<QueryOptions>(filterOptions(query), async ({ api, options, out, words }) => {
    const [stream = ""] = exactly(words, "stream");
    const cards = out.format === "card" && options.view === undefined;
    const asked = {
      stream,
      ...given({
        connection_id: options.connectionId,
        limit: numberOf(options.limit) ?? (out.format === "card" ? 5 : undefined),
        cursor: options.cursor,
        order: options.order,
        sort: options.sort === undefined ? undefined : names(options.sort),
        filter: filterOf(options),
        fields: options.fields === undefined ? undefined : names(options.fields),
        view: cards ? "evidence" : options.view,
        expand: options.expand === undefined ? undefined : names(options.expand),
        expand_limit: limitsOf(options.expandLimit),
        count: options.count,
        window: options.window,
        changes_since: options.changesSince,
      }),
    };
    const list = await api.queryRecords(asked);
    out.show(list, {
      card: (view) => recordsText(view, list, asked),
      table: (view) => recordsTable(view, list, asked),
    });
  });
}
