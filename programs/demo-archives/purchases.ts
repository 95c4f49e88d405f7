import type { Order, OrderItem } from "./household.ts";
import { toLocalTime } from "./local-time.ts";

/**
 * No app exports the orders of two dozen shops, so this is the spreadsheet the household keeps itself: one row per item. Columns about the
 * whole order are filled in its first row only.
 */
export function writePurchases(orders: readonly Order[], items: readonly OrderItem[]): string {
  const header =
    "No,Order,Date,Shop,Item,Category,Quantity,Price,Currency,Order total,Refund,Status,Delivered,Paid with,Note";
  const rows = orders.flatMap((order) =>
    items
      .filter(({ order_id }) => order_id === order.order_id)
      .map((item, index) => [
        ...formatItem(order, item),
        ...formatOrder(order).map((text) => (index === 0 ? text : "")),
      ]),
  );
  return `${[header, ...rows.map((fields) => fields.map(quoteField).join(","))].join("\r\n")}\r\n`;
}

const formatItem = (order: Order, { item_id, name, category, quantity, unit_amount }: OrderItem): string[] => [
  item_id,
  order.order_id,
  formatMinute(order.ordered_at),
  order.shop,
  name,
  category,
  String(quantity),
  unit_amount.toFixed(2),
  order.currency,
];

const formatOrder = (order: Order): string[] => [
  order.total_amount.toFixed(2),
  order.refund_amount === 0 ? "" : order.refund_amount.toFixed(2),
  order.status,
  order.delivered_at === null ? "" : formatMinute(order.delivered_at),
  order.payment_method,
  order.note ?? "",
];

/** `2026-01-12 06:48` */
const formatMinute = (instant: string): string => toLocalTime(instant).slice(0, 16).replace("T", " ");

const quoteField = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
