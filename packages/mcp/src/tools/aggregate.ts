import type { Json, JsonObject } from "@pdpp/contract/declaration";
import type { Input } from "@pdpp/contract/operations";
import type { Aggregation } from "@pdpp/contract/wire";
import { encodedRuns } from "@pdpp/evidence/binary";
import { callLine, definedOnly, literal, oneLine, type ToolCall, toolCall } from "@pdpp/evidence/forms/call";
import { unitText } from "@pdpp/evidence/forms/field";
import { sizes } from "@pdpp/evidence/forms/size";
import { charLength } from "@pdpp/evidence/text";
import { z } from "zod";
import { connectionId, cursor, filter, limitOf, wireFilter } from "../arguments.ts";
import { warningLines, warningObjects } from "../render/notes.ts";
import { fits, mostFitting } from "../size.ts";
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
    const found = await api.aggregate(wire);
    const whole = answerOf(args, found);
    const { groups } = found;
    if (fits(whole, most) || groups === undefined) return whole;
    // What is left out is counted, and its cursor goes on behind the last group that is shown.
    const limit = mostFitting(groups.length, (items) =>
      fits(answerOf(args, { ...found, next_cursor: longCursor, groups: groups.slice(0, items) }), most),
    );
    return answerOf(args, await api.aggregate({ ...wire, limit }));
  },
});

/** A page that is cut has a cursor, and a cursor takes room. */
const longCursor = "x".repeat(400);

function answerOf(args: Args, found: Aggregation): Answer {
  const { stream, metric, field, groups, value, other_count: others, filtered_record_count: records } = found;
  const more = moreGroups(args, found);
  const units = (found.by_unit ?? []).map(({ unit, count, read }) => ({
    unit,
    count,
    ...(read === undefined ? {} : { read: toolCall(read) }),
  }));
  const structured: JsonObject = {
    stream,
    metric,
    ...(field === null ? {} : { field }),
    ...(value === undefined ? {} : shown("value", value)),
    ...(found.unit === undefined ? {} : { unit: found.unit }),
    ...(groups === undefined
      ? {}
      : { groups: groups.map(({ key, count }) => ({ ...shown("key", key), count })) as Json }),
    ...(others === undefined ? {} : { other_count: others }),
    filtered_record_count: records,
    ...(more === undefined ? {} : { next: more }),
    ...(units.length === 0 ? {} : { by_unit: units }),
    ...warningObjects(found.meta.warnings),
  };
  const of = oneLine(`${metric}(${stream}${field === null ? "" : `.${field}`})`);
  const lines =
    groups === undefined
      ? [`${of} = ${spelled(value ?? null)}${unitText(found.unit)} over ${counted(records)}`]
      : [
          `${of} by ${oneLine(found.group_by ?? found.group_by_time ?? "")}${found.group_by_time ? ` (${args.granularity}, ${oneLine(args.time_zone ?? "UTC")})` : ""}: ` +
            `${groups.map(({ key, count }) => `${spelled(key)}: ${count}`).join(", ") || "no groups"}`,
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

/** Bytes written as text are told of, not shown; a record that has them shows how to read them. */
const isBytes = (value: Json): value is string => typeof value === "string" && encodedRuns(value).length > 0;
const shown = (name: "key" | "value", value: Json): JsonObject =>
  isBytes(value) ? { [name]: null, encoded_chars: charLength(value) } : { [name]: value };
const spelled = (value: Json): string =>
  isBytes(value) ? `(bytes as text, ${charLength(value)} chars, not shown)` : literal(value);

/** The call that shows the groups behind these. A server without pages of groups can still show more of them at once. */
function moreGroups(args: Args, found: Aggregation): ToolCall | undefined {
  const { other_count: others, groups, next_cursor: place, has_more: more } = found;
  const limit = args.limit ?? mostGroups;
  if (place !== undefined) return { tool: "aggregate", arguments: definedOnly({ ...args, limit, cursor: place }) };
  if (more !== undefined || !others || groups === undefined || (args.limit ?? standardLimit) >= mostGroups)
    return undefined;
  return { tool: "aggregate", arguments: definedOnly({ ...args, limit: mostGroups }) };
}
