import { z } from "zod";
import { links, meta } from "./envelope.ts";

const aggregateValue = z.union([z.number(), z.string(), z.null()]);

/** A total of amounts. Mixed units have no common number, only one per unit. */
const measured = {
  value: aggregateValue.optional(),
  unit: z.string().optional().describe("the unit that all the amounts have, as their records say"),
  by_unit: z
    .array(
      z.looseObject({
        unit: z.string().nullable().describe("null: the records name none"),
        count: z.int().describe("records with an amount in this unit"),
        value: aggregateValue,
      }),
    )
    .optional()
    .describe("the amounts are in several units: the value of each, most records first; `value` is null then"),
  other_units_count: z.int().optional().describe("records with an amount in a unit that by_unit does not list"),
};

const bareAggregation = z.looseObject({
  object: z.literal("aggregation"),
  stream: z.string(),
  metric: z.string(),
  field: z.string().nullable(),
  filtered_record_count: z.int(),
  approximate: z.literal(false),
  group_by: z.string().nullable(),
  group_by_time: z.string().nullable(),
  granularity: z.string().optional(),
  time_zone: z.string().optional(),
  limit: z.int().optional().describe("groups on a page at most"),
  ...measured,
  groups: z
    .array(
      z.looseObject({
        key: z.union([z.string(), z.number(), z.boolean(), z.null()]),
        count: z.int().describe("records in the group"),
        ...measured,
      }),
    )
    .optional(),
  by_connection: z
    .array(
      z.looseObject({
        connection_id: z.string(),
        connector_key: z.string(),
        display_name: z.string().optional(),
        filtered_record_count: z.int(),
        ...measured,
      }),
    )
    .optional()
    .describe("with connection_id=*: the same for each connection that can answer"),
  other_count: z.int().optional().describe("records in groups that are neither on this page nor on one before it"),
  has_more: z.boolean().optional(),
  next_cursor: z.string().optional(),
  links,
  meta,
});

/** The public envelope. The keys of `data` are repeated at the top level for older clients. */
export const aggregation = bareAggregation.extend({
  data: bareAggregation.omit({ object: true, links: true, meta: true }).optional(),
});
export type Aggregation = z.infer<typeof aggregation>;

export type Measured = Pick<Aggregation, keyof typeof measured>;
