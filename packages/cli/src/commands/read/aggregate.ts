import type { Input } from "@pdpp/contract/operations";
import type { Command } from "commander";
import { aggregationText } from "../../render/aggregation.ts";
import { filterOf, filterOptions } from "./lists.ts";
import { exactly, given, numberOf, readCommand, reads, usage } from "./reading.ts";

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
  const aggregate = readCommand(group, "aggregate", "<stream>", "Count or sum over a stream, in all or in groups", [
    "pdpp read aggregate orders --metric sum --field total_amount",
    "pdpp read aggregate orders --metric sum --field total_amount --group-by shop",
    "pdpp read aggregate orders --metric count --group-by shop",
    "pdpp read aggregate orders --metric count --group-by-time ordered_at --granularity month",
  ])
    .option("--metric <metric>", "count, sum, min, max or count_distinct (required)")
    .option("--field <name>", "the field to compute over; required except for count")
    .option("--group-by <field>", "a result for each value of this field")
    .option("--group-by-time <field>", "a result for each period of this time field")
    .option("--granularity <unit>", "the period: minute, hour, day, week, month, quarter or year")
    .option("--time-zone <zone>", "such as Europe/Berlin (default: UTC)")
    .option("--limit <n>", "1 to 100 groups (default: 10)")
    .option("--cursor <cursor>", "the groups behind those of an earlier answer")
    .option("--connection-id <id>", "only this connection; '*' asks each that has the fields and adds them up");
  reads<AggregateOptions>(filterOptions(aggregate), async ({ api, options, out, words }) => {
    const [stream = ""] = exactly(words, "stream");
    if (options.metric === undefined)
      throw usage("required option '--metric <metric>' not specified; try --metric count");
    const asked: Input<"aggregate"> = {
      stream,
      metric: options.metric,
      ...given({
        field: options.field,
        group_by: options.groupBy,
        group_by_time: options.groupByTime,
        granularity: options.granularity,
        time_zone: options.timeZone,
        limit: numberOf(options.limit),
        cursor: options.cursor,
        filter: filterOf(options),
        connection_id: options.connectionId,
      }),
    };
    const document = await api.aggregate(asked);
    out.show(document, {
      card: (view) => aggregationText(view, document, asked, true),
      table: (view) => aggregationText(view, document, asked, false),
    });
  });
}
