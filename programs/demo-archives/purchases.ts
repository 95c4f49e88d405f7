import type { OrderDraft } from "#demo/drafts";
import { orderTotal } from "#demo/script";

/**
 * No app exports the orders of two dozen shops: this is the table that the household keeps itself, with a line for each thing. What
 * is said of a whole order stands in its first line.
 */
export function purchasesFile(orders: readonly OrderDraft[]): string {
  const header =
    "No,Order,Date,Shop,Item,Category,Quantity,Price,Currency,Order total,Refund,Status,Delivered,Paid with,Note";
  const lines = orders.flatMap((order) =>
    order.items.map(({ name, category, quantity, cents }, n) => {
      const whole = [
        money(orderTotal(order)),
        order.refund === 0 ? "" : money(order.refund),
        order.status,
        order.delivered ?? "",
        order.payment,
        order.note ?? "",
      ];
      return [
        `${order.id}-${n + 1}`,
        order.id,
        order.at,
        order.shop,
        name,
        category,
        String(quantity),
        money(cents),
        order.currency,
        ...(n === 0 ? whole : whole.map(() => "")),
      ];
    }),
  );
  return `${[header, ...lines.map((fields) => fields.map(field).join(","))].join("\r\n")}\r\n`;
}

const money = (cents: number): string => (cents / 100).toFixed(2);
const field = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
