import type { Input } from "@pdpp/contract/operations";
import type { Command } from "commander";
import { several } from "../../command.ts";
import { aggregationText } from "../../render/aggregation.ts";
import { filterOf } from "./lists.ts";
import { exactly, given, numberOf, readCommand, reads, usage } from "./reading.ts";

interface AggregateOptions {
  readonly metric?: Input<"aggregate">["metric"];
  readonly field?: string;
  readonly groupBy?: string;
  readonly groupByTime?: string;
  readonly granularity?: NonNullable<Input<"aggregate">["granularity"]>;
  readonly timeZone?: string;
  readonly limit?: string;
  readonly filter?: string[];
  readonly filterJson?: string;
  readonly connectionId?: string;
}

export function addAggregate(group: Command): void {
  const aggregate = readCommand(group, "aggregate", "<stream>", "A number over a stream, or counts in groups", [
    "pdpp read aggregate orders --metric sum --field total_amount --filter currency=EUR",
    "pdpp read aggregate orders --metric count --group-by shop",
    "pdpp read aggregate orders --metric count --group-by-time ordered_at --granularity month",
  ])
    .option("--metric <metric>", "count, sum, min, max or count_distinct (required)")
    .option("--field <name>", "of which field; all but count need it")
    .option("--group-by <field>", "a count for each value")
    .option("--group-by-time <field>", "a count for each time")
    .option("--granularity <unit>", "minute, hour, day, week, month, quarter or year")
    .option("--time-zone <zone>", "such as Europe/Berlin (default: UTC)")
    .option("--limit <n>", "1 to 100 groups (default: 10)")
    .option("--filter <condition>", "field=value, field>=value, ... (may repeat; all must hold)", several)
    .option("--filter-json <json>", "the same as an object: {field: value, or {gte, gt, lte, lt}}")
    .option("--connection-id <id>", "only that connection");
  reads<AggregateOptions>(aggregate, async ({ api, options, out, words }) => {
    const [stream] = exactly(words, "stream") as [string];
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
