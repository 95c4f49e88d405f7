import type { JsonObject } from "@pdpp/contract/declaration";
import { withoutNulls } from "../../core/clean.ts";
import { h1 } from "../../core/identity.ts";
import type { Item } from "../../core/importer.ts";
import { amountOf, moneyStreams } from "../../core/money-shape.ts";
import { manifest } from "../../core/shapes.ts";
import { localText } from "../../core/times.ts";
import { localDay, type Row, recipeImporter } from "./recipe.ts";

interface Booking {
  readonly id: string;
  readonly account: string;
  readonly institution: string;
  readonly description: string | null;
  readonly counterparty?: string | null;
  readonly memo?: string | null;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly bookedOn: string;
  readonly valuedOn?: string | null;
  readonly kind?: string | null;
  readonly status?: string | null;
  readonly category?: string | null;
  readonly reference?: string | null;
  readonly extra?: JsonObject;
}

/** A booking and the account that it is on; the file says nothing of the account but its name. */
function* booked(row: Row, booking: Booking): Generator<Item> {
  const amount = amountOf(booking.amount);
  if (amount === null) throw new Error("it has no amount");
  const account = h1("account", booking.institution, booking.account);
  if (row.isFirst(account))
    yield {
      kind: "record",
      stream: "accounts",
      data: {
        id: account,
        name: booking.account,
        institution: booking.institution,
        number: null,
        kind: null,
        currency: null,
        balance: null,
        balance_on: null,
        extra: {},
      },
    };
  yield {
    kind: "record",
    stream: "transactions",
    data: {
      id: booking.id,
      account_id: account,
      account_name: booking.account,
      description: booking.description,
      counterparty: booking.counterparty ?? null,
      memo: booking.memo ?? null,
      amount,
      currency: booking.currency,
      booked_on: booking.bookedOn,
      valued_on: booking.valuedOn ?? null,
      kind: booking.kind ?? null,
      status: booking.status ?? "booked",
      category: booking.category ?? null,
      reference: booking.reference ?? null,
      extra: booking.extra ?? {},
    },
  };
}

const dayOf = (row: Row, column: string): string => localText(localDay(row.value(column), row.order)).slice(0, 10);
const dayOr = (row: Row, column: string): string | null => (row.value(column) === null ? null : dayOf(row, column));

export const paypal = recipeImporter({
  key: "paypal",
  title: "PayPal",
  manifest: manifest("paypal", "PayPal", "1.0.0", moneyStreams()),
  about: "transactions",
  sheets: [
    {
      columns: ["Date", "Time", "Name", "Type", "Status", "Currency", "Net", "Transaction ID"],
      also: "any",
      day: "Date",
      *read(row) {
        const id = row.value("Transaction ID");
        if (id === null) throw new Error("it has no number");
        yield* booked(row, {
          id,
          account: "PayPal",
          institution: "PayPal",
          description: row.value("Item Title") ?? row.value("Subject") ?? row.value("Name") ?? row.value("Type"),
          counterparty: row.value("Name"),
          memo: row.value("Note"),
          amount: row.value("Net"),
          currency: row.value("Currency"),
          bookedOn: dayOf(row, "Date"),
          kind: row.value("Type"),
          status: row.value("Status")?.toLowerCase() === "pending" ? "pending" : "booked",
          reference: row.value("Invoice Number"),
          extra: withoutNulls({
            fee: amountOf(row.value("Fee")),
            gross: amountOf(row.value("Gross")),
            time: row.value("Time"),
            time_zone: row.value("TimeZone") ?? row.value("Time Zone"),
            related: row.value("Reference Txn ID"),
          }),
        });
      },
    },
  ],
});

/** Lists of bookings as some banks write them. They number nothing: equal bookings of a day are counted. */
export const bankCsv = recipeImporter({
  key: "bank-csv",
  title: "Bank statements as CSV (Revolut, N26, Chase)",
  manifest: manifest("bank-csv", "Bank (CSV)", "1.0.0", moneyStreams()),
  about: "transactions",
  sheets: [
    {
      columns: [
        "Type",
        "Product",
        "Started Date",
        "Completed Date",
        "Description",
        "Amount",
        "Fee",
        "Currency",
        "State",
        "Balance",
      ],
      *read(row) {
        const at = row.value("Started Date");
        const description = row.value("Description");
        yield* booked(row, {
          id: row.numbered(
            h1("revolut", row.value("Product"), at, description, row.value("Amount"), row.value("Currency")),
          ),
          account: `Revolut ${row.value("Product") ?? ""}`.trim(),
          institution: "Revolut",
          description,
          amount: row.value("Amount"),
          currency: row.value("Currency"),
          bookedOn: dayOr(row, "Completed Date") ?? dayOf(row, "Started Date"),
          valuedOn: dayOf(row, "Started Date"),
          kind: row.value("Type"),
          status: row.value("State") === "COMPLETED" ? "booked" : (row.value("State")?.toLowerCase() ?? null),
          extra: withoutNulls({ fee: amountOf(row.value("Fee")), started: at }),
        });
      },
    },
    {
      columns: [
        "Booking Date",
        "Value Date",
        "Partner Name",
        "Partner Iban",
        "Type",
        "Payment Reference",
        "Account Name",
        "Amount (EUR)",
      ],
      also: ["Original Amount", "Original Currency", "Exchange Rate"],
      *read(row) {
        const account = row.value("Account Name") ?? "N26";
        const [day, name, memo] = [
          dayOf(row, "Booking Date"),
          row.value("Partner Name"),
          row.value("Payment Reference"),
        ];
        yield* booked(row, {
          id: row.numbered(h1("n26", account, day, name, memo, row.value("Amount (EUR)"))),
          account,
          institution: "N26",
          description: name ?? memo,
          counterparty: name,
          memo,
          amount: row.value("Amount (EUR)"),
          currency: "EUR",
          bookedOn: day,
          valuedOn: dayOr(row, "Value Date"),
          kind: row.value("Type"),
          extra: withoutNulls({
            iban: row.value("Partner Iban"),
            original_amount: row.value("Original Amount"),
            original_currency: row.value("Original Currency"),
          }),
        });
      },
    },
    {
      columns: ["Transaction Date", "Post Date", "Description", "Category", "Type", "Amount"],
      also: ["Memo", "Card"],
      *read(row) {
        const bookedOn = localText(localDay(row.value("Post Date"), "mdy")).slice(0, 10);
        const done = localText(localDay(row.value("Transaction Date"), "mdy")).slice(0, 10);
        const card = row.value("Card") ?? "";
        yield* booked(row, {
          id: row.numbered(h1("chase", card, done, row.value("Description"), row.value("Amount"))),
          account: `Chase ${card}`.trim(),
          institution: "Chase",
          description: row.value("Description"),
          memo: row.value("Memo"),
          amount: row.value("Amount"),
          currency: "USD",
          bookedOn,
          valuedOn: done,
          kind: row.value("Type"),
          category: row.value("Category"),
        });
      },
    },
  ],
});
