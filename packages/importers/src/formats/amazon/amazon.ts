import { parseInstant } from "@pdpp/contract/instant";
import { type AsideItem, aside, type Importer, type Item, mark, newestOf } from "../../core/importer.ts";
import { csvHeader, csvRows } from "../../core/parsing/csv.ts";
import { walk } from "../../core/parsing/json-elements.ts";
import { eachFile } from "../../core/reading.ts";
import { amountOf } from "../../core/records/money.ts";
import { orderStreams } from "../../core/records/order.ts";
import { manifest } from "../../core/records/schema.ts";
import { clean, cleanText, isObject, withoutNulls } from "../../core/text/clean.ts";
import { instantText } from "../../core/time/times.ts";
import type { Entry } from "../../tree/tree.ts";

/** Amazon's list of what was ordered: a row for each thing, as CSV or as JSON. */
export const amazon: Importer = {
  key: "amazon",
  title: "Amazon orders",
  version: "1",
  proof: "unproven",
  manifest: manifest("amazon", "Amazon", "1.0.0", orderStreams()),
  about: "order_items",
  sniff: (path, { text }) =>
    /\.csv$/i.test(path)
      ? needed.every((name) => csvHeader(text).includes(name))
      : /\.json$/i.test(path) && needed.every((name) => text.includes(`"${name}"`)),
  claims: async (found) => [
    {
      format: "amazon",
      label: "Amazon orders",
      entries: found,
      beside: [],
      exportedAt: newestOf(found),
      questions: [],
    },
  ],
  read: (claim, _answers, from) => eachFile(claim, from, readFile),
};

const needed = ["Order ID", "Order Date", "ASIN", "Product Name"];

interface Row {
  readonly offset: number;
  readonly end: number;
  readonly raw: Uint8Array;
  value(name: string): string | null;
}

async function* rowsOf(entry: Entry): AsyncGenerator<Row | AsideItem> {
  if (/\.json$/i.test(entry.path)) {
    for await (const step of walk((from) => entry.bytes(from), { opens: (path) => path === "" })) {
      if (step.kind !== "value") continue;
      const { fault, offset, end, raw, value } = step.element;
      if (fault !== undefined) yield aside(entry.path, offset, fault.code, fault.reason, raw);
      else if (!isObject(value)) yield aside(entry.path, offset, "not_a_row", "it is not an object", raw);
      else yield { offset, end, raw, value: (name) => said(clean(value[name])) };
    }
    return;
  }
  let header: readonly string[] | undefined;
  for await (const { fields, offset, end, raw, fault } of csvRows(entry)) {
    if (header === undefined) header = fields.map((name) => name.trim());
    else if (fault !== undefined) yield aside(entry.path, offset, fault.code, fault.reason, raw);
    else {
      const names = header;
      yield { offset, end, raw, value: (name) => said(fields[names.indexOf(name)]) };
    }
  }
}

/** What the shop does not tell, it says in words. */
function said(value: unknown): string | null {
  const text = typeof value === "string" || typeof value === "number" ? cleanText(String(value)).trim() : "";
  return text === "" || /^(not available|not applicable|n\/a)$/i.test(text) ? null : text;
}

interface Order {
  readonly id: string;
  readonly at: string;
  readonly row: Row;
  readonly names: string[];
  readonly seen: Map<string, number>;
  total: number | null;
}

/** The things of an order stand together, or nearly so. */
const openOrders = 200;

async function* readFile(entry: Entry, index: number): AsyncGenerator<Item> {
  const open = new Map<string, Order>();
  for await (const row of rowsOf(entry)) {
    if ("kind" in row) {
      yield row;
      continue;
    }
    const id = row.value("Order ID");
    const at = timeOf(row.value("Order Date"));
    if (id === null || at === null) {
      yield aside(entry.path, row.offset, "not_an_order", id === null ? "it has no order" : "it has no time", row.raw);
      continue;
    }
    const order = open.get(id) ?? { id, at, row, names: [], seen: new Map<string, number>(), total: null };
    open.set(id, order);
    yield itemOf(row, order);
    const [oldest] = open.values();
    if (open.size > openOrders && oldest !== undefined) {
      open.delete(oldest.id);
      yield orderOf(oldest);
    }
    yield mark(index, row.end);
  }
  for (const order of open.values()) yield orderOf(order);
}

function itemOf(row: Row, order: Order): Item {
  const name = row.value("Product Name");
  const product = row.value("ASIN");
  const owed = amountOf(row.value("Total Owed") ?? row.value("Item Total"));
  const key = `${order.id}/${product ?? name ?? ""}`;
  const n = (order.seen.get(key) ?? 0) + 1;
  order.seen.set(key, n);
  if (name !== null) order.names.push(name);
  if (owed !== null) order.total = Math.round(((order.total ?? 0) + owed) * 100) / 100;
  return {
    kind: "record",
    stream: "order_items",
    data: {
      item_id: n === 1 ? key : `${key}/${n}`,
      order_id: order.id,
      name,
      product_id: product,
      ordered_at: order.at,
      shipped_at: timeOf(row.value("Ship Date")),
      quantity: Math.trunc(amountOf(row.value("Quantity")) ?? 0) || null,
      unit_price: amountOf(row.value("Unit Price")),
      total_amount: owed,
      currency: row.value("Currency"),
      condition: row.value("Product Condition"),
      status: row.value("Shipment Status"),
      extra: withoutNulls({ tax: amountOf(row.value("Unit Price Tax")), gift_message: row.value("Gift Message") }),
    },
  };
}

const orderOf = ({ id, at, row, names, total }: Order): Item => ({
  kind: "record",
  stream: "orders",
  data: {
    order_id: id,
    summary: names.length <= 1 ? (names[0] ?? null) : `${names[0]} and ${names.length - 1} more`,
    shop: row.value("Website") ?? "Amazon",
    note: row.value("Gift Message"),
    ordered_at: at,
    total_amount: total,
    currency: row.value("Currency"),
    status: row.value("Order Status"),
    item_count: names.length,
    items: names,
    payment: row.value("Payment Instrument Type"),
    shipping_address: row.value("Shipping Address"),
    extra: {},
  },
});

/** `2023-05-01T12:34:56Z`, `2023-05-01 12:34:56 UTC`, `05/01/2023 12:34:56 UTC`. */
function timeOf(written: string | null): string | null {
  const american = /^(\d\d)\/(\d\d)\/(\d{4})(.*)$/.exec(written ?? "");
  const text = american === null ? (written ?? "") : `${american[3]}-${american[1]}-${american[2]}${american[4]}`;
  const iso = text.replace(/ UTC$/, "Z").replace(/^(\d{4}-\d\d-\d\d) (?=\d)/, "$1T");
  const zoned = /^\d{4}-\d\d-\d\d$/.test(iso) ? `${iso}T00:00:00Z` : iso;
  return /(Z|[+-]\d\d:?\d\d)$/.test(zoned) && parseInstant(zoned) !== null ? instantText(Date.parse(zoned)) : null;
}
