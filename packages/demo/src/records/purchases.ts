import type { DemoRecord } from "../demo-types.ts";
import type { OrderDraft } from "../drafts.ts";
import { collectedAt, utc } from "../local-time.ts";
import { home } from "../people.ts";
import { orderSubtotal, orderTotal } from "../script.ts";

function summary(order: OrderDraft): string {
  const others = order.items.length - 1;
  const first = order.items[0]!.name;
  return others === 0 ? first : `${first} and ${others} more item${others === 1 ? "" : "s"}`;
}

export function* orderRecords(orders: readonly OrderDraft[]): Iterable<DemoRecord> {
  for (const order of orders) {
    const orderedAt = utc(order.at);
    const deliveredAt = order.delivered ? utc(order.delivered) : null;
    yield {
      key: order.id,
      emitted_at: collectedAt(deliveredAt ?? orderedAt),
      data: {
        order_id: order.id,
        summary: summary(order),
        shop: order.shop,
        status: order.status,
        ordered_at: orderedAt,
        delivered_at: deliveredAt,
        total_amount: orderTotal(order) / 100,
        subtotal_amount: orderSubtotal(order) / 100,
        shipping_amount: order.shipping / 100,
        discount_amount: order.discount / 100,
        refund_amount: order.refund / 100,
        currency: order.currency,
        item_count: order.items.reduce((sum, item) => sum + item.quantity, 0),
        payment_method: order.payment,
        note: order.note,
        shipping_address: order.delivered ? { ...home } : null,
      },
    };
  }
}

export function* itemRecords(orders: readonly OrderDraft[]): Iterable<DemoRecord> {
  for (const order of orders) {
    const orderedAt = utc(order.at);
    for (const [index, item] of order.items.entries()) {
      const id = `${order.id}-${index + 1}`;
      yield {
        key: id,
        emitted_at: collectedAt(orderedAt),
        data: {
          item_id: id,
          order_id: order.id,
          name: item.name,
          category: item.category,
          shop: order.shop,
          quantity: item.quantity,
          unit_amount: item.cents / 100,
          line_amount: (item.cents * item.quantity) / 100,
          currency: order.currency,
          ordered_at: orderedAt,
          image_url: item.category === "travel" ? null : `https://pictures.example.com/${id.toLowerCase()}.jpg`,
          attributes: item.attributes ?? {},
        },
      };
    }
  }
}
