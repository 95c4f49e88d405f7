import type { OrderDraft } from "../drafts.ts";
import { addDays, addMinutes, longDate } from "../local-time.ts";
import { euros } from "../phrases.ts";
import type { Random } from "../random.ts";
import { orderTotal, type Script } from "../script.ts";

const slug = (shop: string) =>
  shop
    .toLowerCase()
    .normalize("NFD")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");

/** What shops write after an order: the same numbers and sums as in the purchases, so that both can be matched. */
export function orderMails(script: Script, dice: Random, orders: readonly OrderDraft[]): void {
  for (const order of orders) {
    if (!order.mails) continue;
    const from = `${order.shop} <orders@${slug(order.shop)}.example.com>`;
    const lines = order.items.map(
      (item) => `  ${item.quantity} × ${item.name}  ${euros(item.quantity * item.cents)} ${order.currency}`,
    );
    const extras = [
      ...(order.shipping ? [`  Shipping  ${euros(order.shipping)} ${order.currency}`] : []),
      ...(order.discount ? [`  Discount  −${euros(order.discount)} ${order.currency}`] : []),
    ];
    const hello = dice.pick(["Hello Ada,", "Dear Ada Brambleby,", "Thank you, Ada!", "Hi Ada,"]);
    const intro = dice.pick([
      `we have received your order ${order.id}:`,
      `here is what you ordered on ${longDate(order.at)} (${order.id}):`,
      `your order ${order.id} is in good hands:`,
    ]);
    const bye = dice.pick([
      "We'll write again when it leaves.",
      "Questions? Just answer this mail.",
      "You can change your mind within 14 days.",
    ]);
    script.mail({
      box: "private",
      at: addMinutes(order.at, dice.int(1, 6)),
      from,
      subject: dice.pick([
        `Your order ${order.id}`,
        `Order confirmation ${order.id}`,
        `${order.shop}: thank you for order ${order.id}`,
      ]),
      labels: ["orders"],
      body: `${hello}\n\n${intro}\n\n${[...lines, ...extras].join("\n")}\n\n  Total  ${euros(orderTotal(order))} ${order.currency} (${order.payment})\n\n${bye}\n\n${order.shop}`,
    });
    if (order.delivered && order.items[0]!.category !== "groceries" && dice.chance(0.5)) {
      script.mail({
        box: "private",
        at: `${addDays(order.at.slice(0, 10), 1)} ${dice.pick(["06:40", "09:15", "15:52"])}`,
        from,
        subject: dice.pick([`${order.id} is on its way`, `Shipped: ${order.id}`, `Your parcel from ${order.shop}`]),
        labels: ["orders"],
        body: `${hello}\n\norder ${order.id} left our house this morning. Parcel number ${dice.int(100000, 999999)}-${dice.int(10, 99)}.\n${dice.pick(["The courier leaves it with a neighbour if nobody opens.", "If you are out, it waits at the kiosk in the Hafengasse.", "Please check it for damage while the courier is there."])}\n\n${order.shop}`,
      });
    }
    if (order.status === "returned") {
      script.mail({
        box: "private",
        at: `${addDays(order.at.slice(0, 10), 11)} 10:20`,
        from,
        subject: `Refund for ${order.id}`,
        labels: ["orders"],
        body: `${hello}\n\nyour return for ${order.id} has arrived. We refund ${euros(order.refund)} ${order.currency} to your ${order.payment}.\n\n${order.shop}`,
      });
    }
  }
}
