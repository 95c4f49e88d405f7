import type { JsonObject } from "@pdpp/contract/declaration";
import { deriveId } from "../../core/identity.ts";
import type { Item } from "../../core/importer.ts";
import { defineMoneyStreams, parseAmount } from "../../core/records/money.ts";
import { defineManifest } from "../../core/records/schema.ts";
import { dropNulls } from "../../core/text/clean.ts";
import { formatLocalTime } from "../../core/time/times.ts";
import { createRecipeImporter, parseLocalDay, type Row } from "./recipe.ts";

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

/** A transaction and its account, of which the file only has the name. */
function* readTransaction(row: Row, booking: Booking): Generator<Item> {
  const amount = parseAmount(booking.amount);
  if (amount === null) throw new Error("it has no amount");
  const account = deriveId("account", booking.institution, booking.account);
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

const parseDay = (row: Row, column: string): string =>
  formatLocalTime(parseLocalDay(row.value(column), row.order)).slice(0, 10);
const parseDayOr = (row: Row, column: string): string | null =>
  row.value(column) === null ? null : parseDay(row, column);

/**
 * PayPal's column names depend on the account's language, and differ between the activity list and the monthly
 * statement.
 */
const english = {
  date: "Date",
  time: "Time",
  name: "Name",
  type: "Type",
  description: "Description",
  status: "Status",
  currency: "Currency",
  gross: "Gross",
  fee: "Fee",
  net: "Net",
  id: "Transaction ID",
  item: "Item Title",
  subject: "Subject",
  note: "Note",
  related: "Reference Txn ID",
  invoice: ["Invoice Number", "Invoice ID"],
  zone: ["TimeZone", "Time Zone"],
};
const german: typeof english = {
  date: "Datum",
  time: "Uhrzeit",
  name: "Name",
  type: "Typ",
  description: "Beschreibung",
  status: "Status",
  currency: "Währung",
  gross: "Brutto",
  fee: "Entgelt",
  net: "Netto",
  id: "Transaktionscode",
  item: "Artikelbezeichnung",
  subject: "Betreff",
  note: "Hinweis",
  related: "Zugehöriger Transaktionscode",
  invoice: ["Rechnungsnummer"],
  zone: ["Zeitzone"],
};

/** Refused and cancelled payments moved no money. */
function parsePaypalStatus(written: string | null): string {
  const status = written?.toLowerCase() ?? "completed";
  if (status === "completed" || status === "abgeschlossen") return "booked";
  return status === "ausstehend" ? "pending" : status;
}

const buildPaypalSheet = (names: typeof english, kind: "type" | "description") => ({
  columns: [names.date, names.time, names.name, names[kind], names.currency, names.net, names.id],
  also: "any" as const,
  day: names.date,
  *read(row: Row): Generator<Item> {
    const id = row.value(names.id);
    if (id === null) throw new Error("it has no number");
    const findFirst = (columns: readonly string[]): string | null =>
      columns.map((column) => row.value(column)).find((text) => text !== null) ?? null;
    yield* readTransaction(row, {
      id,
      account: "PayPal",
      institution: "PayPal",
      description: findFirst([names.item, names.subject, names.name, names[kind]]),
      counterparty: row.value(names.name),
      memo: row.value(names.note),
      amount: row.value(names.net),
      currency: row.value(names.currency),
      bookedOn: parseDay(row, names.date),
      kind: row.value(names[kind]),
      status: parsePaypalStatus(row.value(names.status)),
      reference: findFirst(names.invoice),
      extra: dropNulls({
        fee: parseAmount(findFirst([names.fee, "Gebühr"])),
        gross: parseAmount(row.value(names.gross)),
        time: row.value(names.time),
        time_zone: findFirst(names.zone),
        related: row.value(names.related),
      }),
    });
  },
});

export const paypal = createRecipeImporter({
  key: "paypal",
  title: "PayPal",
  manifest: defineManifest("paypal", "PayPal", "1.0.0", defineMoneyStreams()),
  mainStream: "transactions",
  sheets: [english, german].flatMap((names) => [
    buildPaypalSheet(names, "type"),
    buildPaypalSheet(names, "description"),
  ]),
});

/** Transaction lists of some banks. They have no ids, so equal transactions of a day are numbered. */
export const bankCsv = createRecipeImporter({
  key: "bank-csv",
  title: "Bank statements as CSV (Revolut, N26, Chase)",
  manifest: defineManifest("bank-csv", "Bank (CSV)", "1.0.0", defineMoneyStreams()),
  mainStream: "transactions",
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
        yield* readTransaction(row, {
          id: row.numbered(
            deriveId("revolut", row.value("Product"), at, description, row.value("Amount"), row.value("Currency")),
          ),
          account: `Revolut ${row.value("Product") ?? ""}`.trim(),
          institution: "Revolut",
          description,
          amount: row.value("Amount"),
          currency: row.value("Currency"),
          bookedOn: parseDayOr(row, "Completed Date") ?? parseDay(row, "Started Date"),
          valuedOn: parseDay(row, "Started Date"),
          kind: row.value("Type"),
          status: row.value("State") === "COMPLETED" ? "booked" : (row.value("State")?.toLowerCase() ?? null),
          extra: dropNulls({ fee: parseAmount(row.value("Fee")), started: at }),
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
          parseDay(row, "Booking Date"),
          row.value("Partner Name"),
          row.value("Payment Reference"),
        ];
        yield* readTransaction(row, {
          id: row.numbered(deriveId("n26", account, day, name, memo, row.value("Amount (EUR)"))),
          account,
          institution: "N26",
          description: name ?? memo,
          counterparty: name,
          memo,
          amount: row.value("Amount (EUR)"),
          currency: "EUR",
          bookedOn: day,
          valuedOn: parseDayOr(row, "Value Date"),
          kind: row.value("Type"),
          extra: dropNulls({
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
        const bookedOn = formatLocalTime(parseLocalDay(row.value("Post Date"), "mdy")).slice(0, 10);
        const done = formatLocalTime(parseLocalDay(row.value("Transaction Date"), "mdy")).slice(0, 10);
        const card = row.value("Card") ?? "";
        yield* readTransaction(row, {
          id: row.numbered(deriveId("chase", card, done, row.value("Description"), row.value("Amount"))),
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
