import type { Input } from "@pdpp/contract/operations";
import type { Command } from "commander";
import { formatAggregation } from "../../render/aggregation.ts";
import { addFilterOptions, parseFilters } from "./lists.ts";
import { addReadCommand, omitUndefined, onRead, requireArguments, toNumber, usage } from "./reading.ts";

interface AggregateOptions {
  readonly metric?: Input<"aggregate">["metric"];
  readonly field?: string;
  readonly groupBy?: string;
  readonly groupByTime?: string;
  readonly granularity?: NonNullable<Input<"aggregate">["granularity"]>;
  readonly timeZone?: string;
  readonly limit?: string;
  readonly cursor?: string;
  readonly filter?: string[];
  readonly filterJson?: string;
  readonly connectionId?: string;
}

export function addAggregate(group: Command): void {
  const aggregate = addReadCommand(group, "aggregate", "<stream>", "Count or sum a stream, in total or by group", [
    "pdpp read aggregate orders --metric sum --field total_amount",
    "pdpp read aggregate orders --metric sum --field total_amount --group-by shop",
    "pdpp read aggregate orders --metric count --group-by shop",
    "pdpp read aggregate orders --metric count --group-by-time ordered_at --granularity month",
  ])
    .option("--metric <metric>", "count, sum, min, max or count_distinct (required)")
    .option("--field <name>", "field to compute over (required except for count)")
    .option("--group-by <field>", "one result per value of this field")
    .option("--group-by-time <field>", "one result per period of this time field")
    .option("--granularity <unit>", "period: minute, hour, day, week, month, quarter or year")
    .option("--time-zone <zone>", "such as Europe/Berlin (default: UTC)")
    .option("--limit <n>", "1 to 100 groups (default: 10)")
    .option("--cursor <cursor>", "continue after the groups of an earlier response")
    .option("--connection-id <id>", "only this connection, or '*' to total over all that have the fields");
  onRead<AggregateOptions>(addFilterOptions(aggregate), async ({ api, options, out, words }) => {
    const [stream = ""] = requireArguments(words, "stream");
    if (options.metric === undefined) throw usage("missing --metric; try --metric count");
    const asked: Input<"aggregate"> = {
      stream,
      metric: options.metric,
      ...omitUndefined({
        field: options.field,
        group_by: options.groupBy,
        group_by_time: options.groupByTime,
        granularity: options.granularity,
        time_zone: options.timeZone,
        limit: toNumber(options.limit),
        cursor: options.cursor,
        filter: parseFilters(options),
        connection_id: options.connectionId,
      }),
    };
    const document = await api.aggregate(asked);
    out.show(document, {
      card: (view) => formatAggregation(view, document, asked, true),
      table: (view) => formatAggregation(view, document, asked, false),
    });
  });
}
