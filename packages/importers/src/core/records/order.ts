import type { JsonObject } from "@pdpp/contract/declaration";
import * as field from "./field.ts";
import { defineStream } from "./schema.ts";

const defineMoney = (description: string, more: JsonObject = {}): JsonObject => ({
  type: ["number", "null"],
  x_pdpp_type: "currency",
  x_pdpp_unit_field: "currency",
  description,
  ...more,
});

export const defineOrderStreams = (): JsonObject[] => [
  defineStream({
    name: "orders",
    label: "Orders",
    description: "Orders from a shop.",
    key: ["order_id"],
    time: "ordered_at",
    fields: {
      order_id: field.text(),
      summary: field.title(),
      shop: field.actor(),
      note: field.body(),
      ordered_at: field.eventTime(),
      total_amount: defineMoney("Total of the order.", { x_pdpp_role: "amount" }),
      currency: field.maybeText(),
      status: field.maybeText({ x_pdpp_role: "secondary" }),
      item_count: field.count("Number of items."),
      items: field.texts({ description: "Names of the items." }),
      payment: field.maybeText({ description: "Payment method, as the shop writes it." }),
      shipping_address: field.maybeText(),
      extra: field.extra(),
    },
    search: ["summary", "note", "shipping_address"],
    ranges: ["total_amount"],
    groups: ["shop", "currency", "status"],
    sums: ["total_amount"],
    relationships: [{ name: "order_items", stream: "order_items", foreign_key: "order_id", cardinality: "has_many" }],
  }),
  defineStream({
    name: "order_items",
    label: "Order items",
    description: "One record for each item of an order.",
    key: ["item_id"],
    time: "ordered_at",
    fields: {
      item_id: field.text(),
      order_id: field.text(),
      name: field.title(),
      product_id: field.maybeText({ description: "The shop's product number." }),
      ordered_at: field.eventTime(),
      shipped_at: field.time("When it was shipped."),
      quantity: field.count("Number of units."),
      unit_price: defineMoney("Price of one unit."),
      total_amount: defineMoney("Total for this item.", { x_pdpp_role: "amount" }),
      currency: field.maybeText(),
      condition: field.maybeText(),
      status: field.maybeText({ x_pdpp_role: "secondary" }),
      extra: field.extra(),
    },
    search: ["name"],
    ranges: ["total_amount", "quantity"],
    groups: ["currency", "status", "condition"],
    distinct: ["order_id", "product_id"],
    sums: ["total_amount", "quantity"],
    relationships: [{ name: "order", stream: "orders", foreign_key: "order_id", cardinality: "has_one" }],
  }),
];
