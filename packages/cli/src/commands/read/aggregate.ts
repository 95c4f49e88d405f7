import type { Input } from "@pdpp/contract/operations";
import type { Command } from "commander";
import { formatAggregation } from "../../render/aggregation.ts";
import { UsageError } from "../../runtime/failure.ts";
import { addFilterOptions, pickArguments } from "./lists.ts";
import { addReadCommand, onRead, requireArguments } from "./reading.ts";

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
  onRead<{ metric?: Input<"aggregate">["metric"] }>(
    addFilterOptions(aggregate),
    async ({ api, options, out, words }) => {
      const [stream = ""] = requireArguments(words, "stream");
      if (options.metric === undefined) throw new UsageError("missing --metric; try --metric count");
      const asked: Input<"aggregate"> = {
        stream,
        metric: options.metric,
        ...pickArguments("aggregate", options),
      };
      const document = await api.aggregate(asked);
      out.show(document, {
        card: (view) => formatAggregation(view, document, asked, true),
        table: (view) => formatAggregation(view, document, asked, false),
      });
    },
  );
}
