import type { JsonObject } from "@pdpp/contract/declaration";
import type { Input } from "@pdpp/contract/operations";
import type { Aggregation, Warning } from "@pdpp/contract/wire";
import { toLabel, toOneLine } from "@pdpp/evidence/text/literal";
import { z } from "zod";
import { connectionId, cursor, filter, parseLimit, toWireFilter } from "../arguments.ts";
import { createCall, formatCall, omitUndefined, type ToolCall } from "../layout/call.ts";
import { formatMeasured, formatRecordCount, layOutGroup, layOutMeasured } from "../layout/group.ts";
import { type ResultPart, sizes } from "../layout/part.ts";
import { buildWarnings, formatWarnings } from "../render/notes.ts";
import { computeItemRoom } from "../size.ts";
import { type Answer, defineTool } from "../tool.ts";

const standardLimit = 10;
const mostGroups = 100;

const input = z.strictObject({
  stream: z.string().min(1).describe("a stream that schema lists"),
  metric: z.enum(["count", "sum", "min", "max", "count_distinct"]),
  field: z.string().min(1).optional().describe("the field to sum, compare or count; not with count"),
  group_by: z.string().min(1).optional().describe("one for each value of this field"),
  group_by_time: z.string().min(1).optional().describe("one for each period of this time field"),
  granularity: z
    .enum(["minute", "hour", "day", "week", "month", "quarter", "year"])
    .optional()
    .describe("the period; needed with group_by_time"),
  time_zone: z.string().min(1).optional().describe("IANA name, default UTC; with group_by_time"),
  limit: parseLimit(standardLimit, "groups"),
  cursor,
  filter,
  connection_id: connectionId.describe('one source, or "*" for all that have the fields'),
});
type Args = z.infer<typeof input>;

export const aggregate = defineTool({
  name: "aggregate",
  title: "Count and sum",
  description:
    "Count, sum, min, max or count distinct values, exactly: in all, by value or by period; each unit apart. " +
    "schema(stream) says which fields can.",
  input,
  // `value` is omitted: hosts cannot declare "number, text or null".
  output: {
    stream: "string",
    metric: "string",
    groups: "array",
    other_count: "integer",
    filtered_record_count: "integer",
    next: "object",
    unit: "string",
    by_unit: "array",
    other_units_count: "integer",
    by_connection: "array",
    warnings: "array",
    field: "string",
  },
  async call({ api }, args) {
    const wire = omitUndefined({
      ...args,
      filter: toWireFilter(args.filter),
    }) as Input<"aggregate">;
    const most = args.limit === undefined ? sizes.raw : Number.POSITIVE_INFINITY;
    if (args.group_by === undefined && args.group_by_time === undefined)
      return formatAggregate(args, await api.aggregate(wire));
    // Groups share one line, which is about half of text and object together.
    const room = computeItemRoom(Math.min(most, 2 * sizes.lineChars), callNextGroups(args, ""));
    return formatAggregate(args, await api.aggregate({ ...wire, max_chars: room }));
  },
});

function formatAggregate(args: Args, found: Aggregation): Answer {
  const { stream, metric, field, groups, other_count: others, filtered_record_count: records } = found;
  const more = callMoreGroups(args, found);
  const each = found.by_connection;
  const forms = groups?.map(layOutGroup);
  const structured: JsonObject = {
    stream,
    metric,
    ...(field === null ? {} : { field }),
    ...layOutMeasured(found),
    ...(forms === undefined ? {} : { groups: forms.flatMap(({ objects }) => objects) }),
    ...(others === undefined ? {} : { other_count: others }),
    filtered_record_count: records,
    ...(each === undefined
      ? {}
      : {
          by_connection: each.map(({ connection_id, filtered_record_count, ...measured }) => ({
            connection_id,
            ...layOutMeasured(measured),
            filtered_record_count,
          })),
        }),
    ...(more === undefined ? {} : { next: more }),
    ...buildWarnings(found.meta.warnings),
  };
  const of = toOneLine(`${metric}(${stream}${field === null ? "" : `.${field}`})`);
  const by = `${toOneLine(found.group_by ?? found.group_by_time ?? "")}${found.group_by_time ? ` (${args.granularity}, ${toOneLine(args.time_zone ?? "UTC")})` : ""}`;
  const lines =
    forms === undefined
      ? [
          each === undefined
            ? `${of} = ${formatMeasured(found, records)}`
            : `${of} = ${metric === "count" ? records : formatMeasured(found, records)} in ${each.length} ${each.length === 1 ? "connection" : "connections"}`,
          ...(each ?? []).map((one) => formatConnection(metric, one)),
          ...(found.by_unit === undefined
            ? []
            : [`${formatRecordCount(records)} in all; different units are not added or compared`]),
        ]
      : [
          ...formatGroups(`${of} by ${by}:`, metric, forms),
          `${formatRecordCount(records)} in all${others ? `; other_count ${others} (in groups not shown)` : ""}`,
          ...(more === undefined ? [] : [formatCall(more)]),
        ];
  // The lines above already keep units apart.
  const warnings = found.meta.warnings.filter(({ code }) => code !== "mixed_units");
  const [skipped, rest] = [warnings.filter(isSkipped), warnings.filter((warning) => !isSkipped(warning))];
  const leftOut = skipped.map(({ message }) => `${message.slice(0, 1).toUpperCase()}${message.slice(1)}`);
  return { structured, text: [...lines, ...leftOut, ...formatWarnings(rest)].join("\n") };
}

const isSkipped = ({ code }: Warning): boolean => code === "source_skipped_not_applicable";

function formatConnection(metric: string, one: NonNullable<Aggregation["by_connection"]>[number]): string {
  const { connection_id: id, connector_key: key, display_name: label, filtered_record_count: records } = one;
  const named = [id, toOneLine(key), ...(label === undefined ? [] : [toLabel(label)])].join(" ");
  return `${named}: ${metric === "count" ? records : formatMeasured(one, records)}`;
}

/** Counts are short and share one line; each value with a unit gets its own. */
function formatGroups(head: string, metric: string, forms: readonly ResultPart[]): string[] {
  const lines = forms.flatMap((form) => form.lines);
  if (lines.length === 0) return [`${head} no groups`];
  return metric === "count" ? [`${head} ${lines.join(", ")}`] : [head, ...lines];
}

const callNextGroups = (args: Args, place: string): ToolCall =>
  createCall("aggregate", { ...args, limit: args.limit ?? mostGroups, cursor: place });

/** The call for more groups. A server without pages of groups can still return more at once. */
function callMoreGroups(args: Args, found: Aggregation): ToolCall | undefined {
  const { other_count: others, groups, next_cursor: place, has_more: more } = found;
  if (place !== undefined) return callNextGroups(args, place);
  if (more !== undefined || !others || groups === undefined || (args.limit ?? standardLimit) >= mostGroups)
    return undefined;
  return createCall("aggregate", { ...args, limit: mostGroups });
}
