import { amazon } from "#importers/formats/amazon/amazon";
import { createEndlessFile, type Dice, drawSentence, formatIsoDay, type Generator } from "../generator.ts";

const header = [
  "Website",
  "Order ID",
  "Order Date",
  "Currency",
  "Unit Price",
  "Unit Price Tax",
  "Total Owed",
  "ASIN",
  "Product Condition",
  "Quantity",
  "Payment Instrument Type",
  "Order Status",
  "Shipment Status",
  "Ship Date",
  "Shipping Address",
  "Product Name",
  "Gift Message",
];

type Row = readonly string[];

/** An order of one to three things; every fifth has the same thing twice. */
function drawOrder(dice: Dice, n: number, status = "Closed"): Row[] {
  return Array.from({ length: 1 + (n % 3) }, (_, i) => [
    "Amazon.com",
    `112-${1000000 + n}-1`,
    `${formatIsoDay(n % 700)}T10:0${n % 10}:00Z`,
    "USD",
    `${dice.int(1, 1500)}.99`,
    "0",
    `'1,${100 + i}.50'`.replaceAll("'", ""),
    n % 5 === 0 ? "B00SAME" : `B00${n}${i}`,
    "New",
    "1",
    "Visa - 1234",
    status,
    "Shipped",
    "Not Available",
    '1 Main "St", Town',
    drawSentence(dice, 4),
    "Not Available",
  ]);
}

const formatLine = (row: Row): string =>
  row.map((field) => (/[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)).join(",");
const buildFile = (orders: readonly Row[][]): string => [header, ...orders.flat()].map(formatLine).join("\r\n");

export const amazonGenerator: Generator = {
  importer: amazon,
  pair(dice, size) {
    const all = Array.from({ length: size * 2 }, (_, n) => drawOrder(dice, n));
    const returned = all.slice(0, 2).map((rows) => rows.map((row) => row.with(11, "Cancelled")));
    const added = [drawOrder(dice, size * 2), drawOrder(dice, size * 2 + 1)];
    const path = "Retail.OrderHistory.1/Retail.OrderHistory.1.csv";
    return {
      older: { [path]: `\ufeff${buildFile(all)}` },
      newer: { [path]: buildFile([...returned, ...all.slice(2, -2), ...added]) },
    };
  },
  hostile(dice) {
    const good = [1, 2, 3].flatMap((n) => drawOrder(dice, n)).map(formatLine);
    const bad = [",,,", formatLine(drawOrder(dice, 4)[0]?.with(2, "yesterday") ?? []), '"never closed, 1'];
    const objects = drawOrder(dice, 5).map((row) =>
      JSON.stringify(Object.fromEntries(header.map((name, i) => [name, row[i]]))),
    );
    return {
      files: {
        "Retail.OrderHistory.1.csv": [formatLine(header), good[0], bad[0], ...good.slice(1), bad[1], bad[2]].join("\n"),
        "Retail.OrderHistory.2.json": `[${objects.join(",")}, 7, {"Order ID": "x\\u0000"}, {"Order ID": {}`,
      },
      good: 8,
    };
  },
  endless: (dice, bytes) =>
    createEndlessFile("Retail.OrderHistory.1.csv", bytes, (n) => drawOrder(dice, n).map(formatLine).join("\n"), [
      `${formatLine(header)}\n`,
      "\n",
      "\n",
    ]),
};
