import { addDays, daysBetween, firstDay, lastDay } from "../local-time.ts";
import type { Random } from "../random.ts";
import type { Script } from "../script.ts";
import { article, shops } from "./catalogue.ts";

export function everydayPurchases(script: Script, dice: Random): void {
  const days = daysBetween(firstDay, lastDay) - 5;
  for (const shop of shops) {
    for (let index = 0; index < shop.weight; index++) {
      const day = addDays(firstDay, Math.floor(((index + dice.next()) * days) / shop.weight));
      // Nobody orders vegetables to a flat that is empty for the holidays.
      if (day >= "2026-07-15" && day <= "2026-07-31" && shop.category === "groceries") continue;
      const chosen = dice.sample(shop.articles, dice.int(...shop.lines));
      const items = chosen.map((entry) => article(entry, shop.category, dice.int(1, 6)));
      const sum = items.reduce((total, item) => total + item.quantity * item.cents, 0);
      const tickets = shop.category === "events";
      const returned = shop.category === "clothing" && index % 4 === 3;
      const discount = sum > 4000 && dice.chance(0.25) ? 500 : 0;
      script.order({
        // A number of its own range keeps everyday orders apart from those the stories name.
        id: `${shop.prefix}-${300000 + index * 1013 + dice.int(0, 900)}`,
        shop: shop.name,
        at: `${day} ${String(dice.int(7, 22)).padStart(2, "0")}:${String(dice.int(0, 59)).padStart(2, "0")}`,
        items: items.map((item) => [item.name, item.category, item.quantity, item.cents]),
        shipping: sum > 6000 ? 0 : shop.shipping,
        discount,
        currency: shop.prefix === "TQ" ? "GBP" : "EUR",
        payment: dice.pick(["card ending 4408", "card ending 4408", "direct debit", "invoice"]),
        mails: index % 3 !== 1 || shop.category !== "groceries",
        ...(tickets ? { status: "completed" as const, delivered: null } : {}),
        ...(returned ? { status: "returned" as const, refund: sum - discount, note: "Sent back: did not fit." } : {}),
      });
    }
  }
}
