import type { Command } from "commander";
import { several } from "../../command.ts";
import { recordsTable, recordsText } from "../../render/records.ts";
import { filterOf, limitsOf, names } from "./lists.ts";
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
    .option("--limit <n>", "1 to 100 records (default: 25; 5 cards)")
    .option("--cursor <cursor>", "go on where the page before ended")
    .option("--order <order>", "asc or desc, by the stream's time")
    .option("--sort <field>", "the stream's cursor field, with - in front for the newest first")
    .option("--count <kind>", "none, estimated or exact: how many there are in all")
    .option("--window <kind>", "none or exact: the first and the last time of all")
    .option("--changes-since <bookmark>", "what changed since then, or since the beginning")
    .option("--fields <names>", "only these fields, with commas between")
    .option("--view <name>", "a view of the stream, or evidence for cards")
    .option("--filter <condition>", "field=value, field>=value, ... (may repeat; all must hold)", several)
    .option("--filter-json <json>", "the same as an object: {field: value, or {gte, gt, lte, lt}}")
    .option("--expand <names>", "related records to bring along")
    .option("--expand-limit <name=n>", "at most so many of them (may repeat)", several)
    .option("--connection-id <id>", "only that connection");
  reads<QueryOptions>(query, async ({ api, options, out, words }) => {
    const [stream] = exactly(words, "stream") as [string];
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
