import type { AggregateInput } from "./aggregate-input.ts";
export const buildHead = (input: AggregateInput, total: number) => ({
  object: "aggregation" as const,
  stream: input.stream,
  metric: input.metric,
  field: input.field ?? null,
  filtered_record_count: total,
  approximate: false as const,
  group_by: input.group_by ?? null,
  group_by_time: input.group_by_time ?? null,
  ...(input.group_by_time === undefined ? {} : { granularity: input.granularity, time_zone: input.time_zone ?? "UTC" }),
});
