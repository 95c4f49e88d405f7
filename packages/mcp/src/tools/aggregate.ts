import type { JsonObject } from "@pdpp/contract/declaration";
import type { Input } from "@pdpp/contract/operations";
import type { Aggregation } from "@pdpp/contract/wire";
import { callLine, callTo, definedOnly, literal, oneLine, type ToolCall, toolCall } from "@pdpp/evidence/forms/call";
import { unitText } from "@pdpp/evidence/forms/field";
import { groupForm, valueObject, valueText } from "@pdpp/evidence/forms/group";
import { sizes } from "@pdpp/evidence/forms/size";
import { z } from "zod";
import { connectionId, cursor, filter, limitOf, wireFilter } from "../arguments.ts";
import { warningLines, warningObjects } from "../render/notes.ts";
import { roomForItems } from "../size.ts";
import { type Answer, defineTool } from "../tool.ts";

const standardLimit = 10;
const mostGroups = 100;

const input = z.strictObject({
  stream: z.string().min(1).describe("a stream that schema lists"),
  metric: z.enum(["count", "sum", "min", "max", "count_distinct"]),
  field: z.string().min(1).optional().describe("the field to sum, compare or count; not with count"),
  group_by: z.string().min(1).optional().describe("counts for each value of this field"),
  group_by_time: z.string().min(1).optional().describe("counts for each period of this time field"),
  granularity: z
    .enum(["minute", "hour", "day", "week", "month", "quarter", "year"])
    .optional()
    .describe("the period; needed with group_by_time"),
  time_zone: z.string().min(1).optional().describe("IANA name, default UTC; with group_by_time"),
  limit: limitOf(standardLimit, "groups"),
  cursor,
  filter,
  connection_id: connectionId,
});
type Args = z.infer<typeof input>;

export const aggregate = defineTool({
  name: "aggregate",
  title: "Count and sum",
  description:
    "Count, sum, min, max or count distinct values over records, exactly; or counts in groups. " +
    "schema(stream) says which fields can. For an amount per month, filter by time.",
  input,
  // Not `value`: a number, a text or null, which is more than hosts take from one declaration.
  output: {
    stream: "string",
    metric: "string",
    groups: "array",
    other_count: "integer",
    filtered_record_count: "integer",
    next: "object",
    unit: "string",
    by_unit: "array",
    warnings: "array",
    field: "string",
  },
  async call({ api }, args) {
    const wire = definedOnly({
      ...args,
      filter: wireFilter(args.filter),
    }) as Input<"aggregate">;
    const most = args.limit === undefined ? sizes.raw : Number.POSITIVE_INFINITY;
    if (args.group_by === undefined && args.group_by_time === undefined)
      return answerOf(args, await api.aggregate(wire));
    // Groups stand on one line, which is about half of both forms.
    const room = roomForItems(Math.min(most, 2 * sizes.lineChars), nextGroups(args, ""));
    return answerOf(args, await api.aggregate({ ...wire, max_chars: room }));
  },
});

function answerOf(args: Args, found: Aggregation): Answer {
  const { stream, metric, field, groups, value, other_count: others, filtered_record_count: records } = found;
  const more = moreGroups(args, found);
  const units = (found.by_unit ?? []).map(({ unit, count, read }) => ({
    unit,
    count,
    ...(read === undefined ? {} : { read: toolCall(read) }),
  }));
  const forms = groups?.map(groupForm);
  const structured: JsonObject = {
    stream,
    metric,
    ...(field === null ? {} : { field }),
    ...(value === undefined ? {} : valueObject("value", value)),
    ...(found.unit === undefined ? {} : { unit: found.unit }),
    ...(forms === undefined ? {} : { groups: forms.flatMap(({ objects }) => objects) }),
    ...(others === undefined ? {} : { other_count: others }),
    filtered_record_count: records,
    ...(more === undefined ? {} : { next: more }),
    ...(units.length === 0 ? {} : { by_unit: units }),
    ...warningObjects(found.meta.warnings),
  };
  const of = oneLine(`${metric}(${stream}${field === null ? "" : `.${field}`})`);
  const lines =
    forms === undefined
      ? [`${of} = ${valueText(value ?? null)}${unitText(found.unit)} over ${counted(records)}`]
      : [
          `${of} by ${oneLine(found.group_by ?? found.group_by_time ?? "")}${found.group_by_time ? ` (${args.granularity}, ${oneLine(args.time_zone ?? "UTC")})` : ""}: ` +
            `${forms.flatMap(({ lines }) => lines).join(", ") || "no groups"}`,
          `${counted(records)} in all${others ? `, ${others} of them in groups not shown` : ""}`,
          ...(more === undefined ? [] : [callLine(more)]),
        ];
  const byUnit = units.flatMap(({ unit, count, read }) => [
    `${unit === null ? "without a unit" : literal(unit)}: ${counted(count)}`,
    ...(read === undefined ? [] : [callLine(read)]),
  ]);
  return { structured, text: [...lines, ...warningLines(found.meta.warnings), ...byUnit].join("\n") };
}

const counted = (records: number): string => `${records} ${records === 1 ? "record" : "records"}`;

const nextGroups = (args: Args, place: string): ToolCall =>
  callTo("aggregate", { ...args, limit: args.limit ?? mostGroups, cursor: place });

/** The call that shows the groups behind these. A server without pages of groups can still show more of them at once. */
function moreGroups(args: Args, found: Aggregation): ToolCall | undefined {
  const { other_count: others, groups, next_cursor: place, has_more: more } = found;
  if (place !== undefined) return nextGroups(args, place);
  if (more !== undefined || !others || groups === undefined || (args.limit ?? standardLimit) >= mostGroups)
    return undefined;
  return callTo("aggregate", { ...args, limit: mostGroups });
}
