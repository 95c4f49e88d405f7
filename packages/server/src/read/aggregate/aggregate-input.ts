import { type FieldAggregation, findField, type Json } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import type { Input } from "@pdpp/contract/operations";
import { isTimeZone } from "@pdpp/evidence/text/local-time";
import { type Condition, getVisibleDeclaration, type StreamScope } from "../../store/access/scope.ts";
import type { FieldColumn } from "../../store/catalog/layout.ts";
import { createBinding, type ReadContext } from "../context.ts";
import { openCursor } from "../cursor.ts";
import { getReadableField, parseFilter } from "../records/conditions.ts";
import type { Measure } from "./measure.ts";
import type { Granularity } from "./time-buckets.ts";

const defaultGroups = 10;

const maxGroups = 100;

export type AggregateInput = Input<"aggregate">;

export function prepareAggregate(context: ReadContext, scope: StreamScope, input: AggregateInput) {
  const conditions = parseFilter(scope, input.filter);
  checkShape(scope, input);
  const grouping = parseGrouping(scope, input);
  const measure = parseMeasure(scope, input);
  if (input.metric === "count_distinct") findFieldColumn(scope, input.field!, "count_distinct", "field");
  if (input.cursor !== undefined)
    openCursor(context.keys, createGroupsBinding(scope, conditions, input), input.cursor, "cursor");
  return { conditions, grouping, measure };
}

export function createGroupsBinding(scope: StreamScope, conditions: readonly Condition[], input: AggregateInput): Json {
  const { metric, field = null, group_by = null, group_by_time = null, granularity = null } = input;
  const { time_zone: zone = "UTC" } = input;
  return createBinding(scope, "groups", [
    metric,
    field,
    group_by,
    group_by_time,
    granularity,
    zone,
    conditions as never,
  ]);
}

function parseMeasure(scope: StreamScope, { metric, field: name }: AggregateInput): Measure | undefined {
  if (name === undefined || metric === "count" || metric === "count_distinct") return undefined;
  const column = findFieldColumn(scope, name, metric, "field");
  const field = findField(getVisibleDeclaration(scope), name);
  const unit = field?.unitField;
  const unitColumn = unit === undefined ? undefined : scope.stream.columns.get(unit);
  return {
    metric,
    field: name,
    column,
    isAmount: field?.role === "amount",
    ...(unit === undefined || unitColumn === undefined ? {} : { unit: { field: unit, column: unitColumn } }),
  };
}

export type Grouping =
  | { readonly by: "value"; readonly field: string; readonly column: FieldColumn }
  | { readonly by: "time"; readonly column: FieldColumn; readonly granularity: Granularity; readonly zone: string };

function parseGrouping(scope: StreamScope, input: AggregateInput): Grouping | undefined {
  const { group_by: field, group_by_time: time, granularity, time_zone: zone = "UTC" } = input;
  if (field !== undefined) return { by: "value", field, column: findFieldColumn(scope, field, "group_by", "group_by") };
  if (time === undefined || granularity === undefined) return undefined;
  return { by: "time", column: findFieldColumn(scope, time, "group_by_time", "group_by_time"), granularity, zone };
}

export const invalidRequestError = (message: string, param: string): PdppError =>
  new PdppError("invalid_request", message, { param });

function checkShape(scope: StreamScope, input: AggregateInput): void {
  const declaration = getVisibleDeclaration(scope);
  const grouping = input.group_by ?? input.group_by_time;
  if (declaration.query.aggregations === undefined)
    throw invalidRequestError(`stream ${declaration.name} declares no aggregations`, "stream");
  if (input.group_by !== undefined && input.group_by_time !== undefined) {
    throw invalidRequestError("group_by and group_by_time exclude each other; send one of them", "group_by_time");
  }
  if (grouping !== undefined && input.metric === "count_distinct")
    throw invalidRequestError(
      "count, sum, min and max can be grouped; for the distinct values of one group, filter by its value and leave the grouping out",
      "metric",
    );
  if (input.metric === "count") {
    if (!declaration.countable)
      throw invalidRequestError(`stream ${declaration.name} does not declare count`, "metric");
    if (input.field !== undefined)
      throw invalidRequestError("the metric count counts records and takes no field", "field");
  } else if (input.field === undefined) {
    throw invalidRequestError(`the metric ${input.metric} needs a field`, "field");
  }
  // An invalid limit is reported before an ambiguous connection.
  if (grouping !== undefined) parseGroupLimit(input);
  if (input.limit !== undefined && grouping === undefined)
    throw invalidRequestError("limit goes with group_by or group_by_time", "limit");
  if (input.cursor !== undefined && grouping === undefined)
    throw invalidRequestError("cursor goes with group_by or group_by_time", "cursor");
  if (input.max_chars !== undefined && grouping === undefined)
    throw invalidRequestError("max_chars goes with group_by or group_by_time", "max_chars");
  if ((input.granularity !== undefined) !== (input.group_by_time !== undefined)) {
    throw invalidRequestError("granularity goes with group_by_time, and group_by_time needs it", "granularity");
  }
  if (input.time_zone !== undefined) {
    if (input.group_by_time === undefined) throw invalidRequestError("time_zone goes with group_by_time", "time_zone");
    if (!isTimeZone(input.time_zone))
      throw invalidRequestError(
        `${JSON.stringify(input.time_zone)} is not an IANA time zone such as Europe/Berlin`,
        "time_zone",
      );
  }
}

export function parseGroupLimit({ limit }: AggregateInput): number {
  if (limit === undefined) return defaultGroups;
  const asked = Number(limit);
  if (!Number.isInteger(asked) || asked < 1 || asked > maxGroups)
    throw invalidRequestError(`limit must be a whole number from 1 to ${maxGroups}`, "limit");
  return asked;
}

export function findFieldColumn(scope: StreamScope, name: string, kind: FieldAggregation, param: string): FieldColumn {
  const field = getReadableField(scope, name, param);
  const column = scope.stream.columns.get(name);
  if (!field.aggregations.includes(kind) || column === undefined) {
    const can = getVisibleDeclaration(scope)
      .fields.filter((f) => f.aggregations.includes(kind))
      .map((f) => f.name);
    throw invalidRequestError(
      `${kind} is not declared for field ${name}; declared for: ${can.join(", ") || "none"}`,
      param,
    );
  }
  return column;
}
