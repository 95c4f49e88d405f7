import type { JsonObject } from "@pdpp/contract/declaration";
import { actor, body, count, defineStream, eventTime, extra, maybeText, text, texts, time, title } from "./schema.ts";

const money = (description: string, more: JsonObject = {}): JsonObject => ({
  type: ["number", "null"],
  x_pdpp_type: "currency",
  x_pdpp_unit_field: "currency",
  description,
  ...more,
});

/** What was bought: orders, and what was in them. */
export const defineOrderStreams = (): JsonObject[] => [
  defineStream({
    name: "orders",
    label: "Orders",
    description: "Orders of a shop.",
    key: ["order_id"],
    time: "ordered_at",
    fields: {
      order_id: text(),
      summary: title(),
      shop: actor(),
      note: body(),
      ordered_at: eventTime(),
      total_amount: money("What was owed for all of it.", { x_pdpp_role: "amount" }),
      currency: maybeText(),
      status: maybeText({ x_pdpp_role: "secondary" }),
      item_count: count("Things in it."),
      items: texts({ description: "Their names." }),
      payment: maybeText({ description: "How it was paid, as the shop writes it." }),
      shipping_address: maybeText(),
      extra: extra(),
    },
    search: ["summary", "note", "shipping_address"],
    ranges: ["total_amount"],
    groups: ["shop", "currency", "status"],
    sums: ["total_amount"],
    relationships: [{ name: "order_items", stream: "order_items", foreign_key: "order_id", cardinality: "has_many" }],
  }),
  defineStream({
    name: "order_items",
    label: "Things that were ordered",
    description: "One record for each thing in an order.",
    key: ["item_id"],
    time: "ordered_at",
    fields: {
      item_id: text(),
      order_id: text(),
      name: title(),
      product_id: maybeText({ description: "The shop's own number of the product." }),
      ordered_at: eventTime(),
      shipped_at: time("When it left."),
      quantity: count("How many."),
      unit_price: money("For one of them."),
      total_amount: money("What was owed for it.", { x_pdpp_role: "amount" }),
      currency: maybeText(),
      condition: maybeText(),
      status: maybeText({ x_pdpp_role: "secondary" }),
      extra: extra(),
    },
    search: ["name"],
    ranges: ["total_amount", "quantity"],
    groups: ["currency", "status", "condition"],
    distinct: ["order_id", "product_id"],
    sums: ["total_amount", "quantity"],
    relationships: [{ name: "order", stream: "orders", foreign_key: "order_id", cardinality: "has_one" }],
  }),
];
