import { parseInstant } from "@pdpp/contract/instant";
import type { Importer, Item, RejectedItem } from "../../core/importer.ts";
import { createClaim, createRecord, mark, reject } from "../../core/items.ts";
import { parseCsvHeader, readCsvRows } from "../../core/parsing/csv.ts";
import { readArrayElements } from "../../core/parsing/json-elements.ts";
import { readFiles, rejectElement } from "../../core/reading.ts";
import { parseAmount } from "../../core/records/money.ts";
import { defineOrderStreams } from "../../core/records/order.ts";
import { defineManifest } from "../../core/records/schema.ts";
import { cleanText, cleanValue, dropNulls, isObject } from "../../core/text/clean.ts";
import { formatInstant } from "../../core/time/times.ts";
import type { Entry } from "../../tree/tree.ts";

/** Amazon's order history, with a row for each item, as CSV or JSON. */
export const amazon: Importer = {
  key: "amazon",
  title: "Amazon orders",
  version: "1",
  testedWith: "unproven",
  manifest: defineManifest("amazon", "Amazon", "1.0.0", defineOrderStreams()),
  mainStream: "order_items",
  mergeRules: { orders: { is_shared: true } },
  sniff: (path, { text }) =>
    /\.csv$/i.test(path)
      ? requiredColumns.every((name) => parseCsvHeader(text).includes(name))
      : /\.json$/i.test(path) && requiredColumns.every((name) => text.includes(`"${name}"`)),
  createClaims: async (found) => [createClaim("amazon", "Amazon orders", found)],
  read: (claim, _answers, from) => readFiles(claim, from, readFile),
};

const requiredColumns = ["Order ID", "Order Date", "ASIN", "Product Name"];

interface Row {
  readonly offset: number;
  readonly end: number;
  readonly raw: Uint8Array;
  value(name: string): string | null;
}

async function* readRows(entry: Entry): AsyncGenerator<Row | RejectedItem> {
  if (/\.json$/i.test(entry.path)) {
    for await (const element of readArrayElements((from) => entry.bytes(from), 0)) {
      const { failure, offset, end, raw, value } = element;
      if (failure !== undefined) yield rejectElement(entry, element);
      else if (!isObject(value)) yield reject(entry.path, offset, "not_a_row", "not a JSON object", raw);
      else yield { offset, end, raw, value: (name) => toValue(cleanValue(value[name])) };
    }
    return;
  }
  let header: readonly string[] | undefined;
  for await (const row of readCsvRows(entry)) {
    const { fields, offset, end, raw } = row;
    if (header === undefined) header = fields.map((name) => name.trim());
    else if (row.failure !== undefined) yield rejectElement(entry, row);
    else {
      const names = header;
      yield { offset, end, raw, value: (name) => toValue(fields[names.indexOf(name)]) };
    }
  }
}

/** Amazon writes "Not Available" for missing values. */
function toValue(value: unknown): string | null {
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

/** Items of an order are close together in the file, so this many open orders are enough. */
const maxOpenOrders = 200;

async function* readFile(entry: Entry, index: number): AsyncGenerator<Item> {
  const open = new Map<string, Order>();
  for await (const row of readRows(entry)) {
    if ("kind" in row) {
      yield row;
      continue;
    }
    const id = row.value("Order ID");
    const at = parseTime(row.value("Order Date"));
    if (id === null || at === null) {
      yield reject(entry.path, row.offset, "not_an_order", id === null ? "no order id" : "no time", row.raw);
      continue;
    }
    const order = open.get(id) ?? { id, at, row, names: [], seen: new Map<string, number>(), total: null };
    open.set(id, order);
    yield createItem(row, order);
    const [oldest] = open.values();
    if (open.size > maxOpenOrders && oldest !== undefined) {
      open.delete(oldest.id);
      yield createOrder(oldest);
    }
    yield mark(index, row.end);
  }
  for (const order of open.values()) yield createOrder(order);
}

function createItem(row: Row, order: Order): Item {
  const name = row.value("Product Name");
  const product = row.value("ASIN");
  const owed = parseAmount(row.value("Total Owed") ?? row.value("Item Total"));
  const key = `${order.id}/${product ?? name ?? ""}`;
  const n = (order.seen.get(key) ?? 0) + 1;
  order.seen.set(key, n);
  if (name !== null) order.names.push(name);
  if (owed !== null) order.total = Math.round(((order.total ?? 0) + owed) * 100) / 100;
  return createRecord("order_items", {
    item_id: n === 1 ? key : `${key}/${n}`,
    order_id: order.id,
    name,
    product_id: product,
    ordered_at: order.at,
    shipped_at: parseTime(row.value("Ship Date")),
    quantity: Math.trunc(parseAmount(row.value("Quantity")) ?? 0) || null,
    unit_price: parseAmount(row.value("Unit Price")),
    total_amount: owed,
    currency: row.value("Currency"),
    condition: row.value("Product Condition"),
    status: row.value("Shipment Status"),
    extra: dropNulls({ tax: parseAmount(row.value("Unit Price Tax")), gift_message: row.value("Gift Message") }),
  });
}

const createOrder = ({ id, at, row, names, total }: Order): Item =>
  createRecord("orders", {
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
  });

/** Parses `2023-05-01T12:34:56Z`, `2023-05-01 12:34:56 UTC` and `05/01/2023 12:34:56 UTC`. */
function parseTime(written: string | null): string | null {
  const american = /^(\d\d)\/(\d\d)\/(\d{4})(.*)$/.exec(written ?? "");
  const text = american === null ? (written ?? "") : `${american[3]}-${american[1]}-${american[2]}${american[4]}`;
  const iso = text.replace(/ UTC$/, "Z").replace(/^(\d{4}-\d\d-\d\d) (?=\d)/, "$1T");
  const zoned = /^\d{4}-\d\d-\d\d$/.test(iso) ? `${iso}T00:00:00Z` : iso;
  return /(Z|[+-]\d\d:?\d\d)$/.test(zoned) && parseInstant(zoned) !== null ? formatInstant(Date.parse(zoned)) : null;
}
