import type { JsonObject } from "@pdpp/contract/declaration";
import * as field from "./field.ts";
import { defineStream } from "./schema.ts";

const defineMoney = (description: string, more: JsonObject = {}): JsonObject => ({
  type: ["number", "null"],
  x_pdpp_type: "currency",
  x_pdpp_unit_field: "currency",
  description,
  ...more,
});

const defineDay = (more: JsonObject): JsonObject => ({ type: ["string", "null"], format: "date", ...more });

export const defineMoneyStreams = (): JsonObject[] => [
  defineStream({
    name: "accounts",
    label: "Accounts",
    description: "Accounts, with the latest exported balance.",
    time: "balance_on",
    fields: {
      id: field.text(),
      name: field.title(),
      institution: field.actor(),
      number: field.maybeText({ description: "Account number, as the bank writes it." }),
      kind: field.maybeText({ x_pdpp_role: "secondary", description: "checking, savings, credit card, ..." }),
      currency: field.maybeText(),
      balance: defineMoney("Account balance.", { x_pdpp_role: "amount" }),
      balance_on: defineDay({ x_pdpp_role: "event-time", description: "Date of the balance." }),
      extra: field.extra(),
    },
    search: ["name", "institution"],
    groups: ["kind", "currency", "institution"],
    relationships: [
      { name: "transactions", stream: "transactions", foreign_key: "account_id", cardinality: "has_many" },
    ],
  }),
  defineStream({
    name: "transactions",
    label: "Transactions",
    description: "Booked transactions. Outgoing amounts are negative.",
    time: "booked_on",
    fields: {
      id: field.text(),
      account_id: field.text(),
      account_name: field.maybeText({ x_pdpp_role: "secondary" }),
      description: field.title(),
      counterparty: field.actor(),
      memo: field.body(),
      amount: defineMoney("Negative for outgoing payments.", { x_pdpp_role: "amount" }),
      currency: field.maybeText(),
      booked_on: defineDay({ x_pdpp_role: "event-time", description: "Booking date." }),
      valued_on: defineDay({ description: "Value date." }),
      kind: field.maybeText({ description: "Transaction type used by the bank: DEBIT, TRANSFER, ..." }),
      status: field.maybeText({ description: "booked or pending." }),
      category: field.maybeText(),
      reference: field.maybeText({ description: "The bank's reference, or a cheque number." }),
      extra: field.extra(),
    },
    presentation: {
      kind: "transaction",
      fields: { payee: "counterparty", account: "account_name", category: "category", status: "status" },
    },
    search: ["description", "counterparty", "memo", "category"],
    ranges: ["amount", "valued_on"],
    groups: ["account_name", "currency", "kind", "category", "counterparty"],
    distinct: ["counterparty"],
    sums: ["amount"],
    relationships: [{ name: "account", stream: "accounts", foreign_key: "account_id", cardinality: "has_one" }],
  }),
];

/**
 * Parses amounts as banks write them: `-1,234.56`, `1.234,56`, `$120`, `(20.00)`, `12.50-`; null if it is not an amount. Pass `decimal` if
 * the decimal separator is known: without it `1,234` is ambiguous.
 */
export function parseAmount(written: string | null | undefined, decimal?: DecimalSeparator): number | null {
  const bare = (written ?? "").replace(/[\s\u00a0\u202f'’]|[$€£¥]|[A-Z]{3}/g, "").replaceAll("−", "-");
  const isNegative = /^\(.*\)$|^-|-$/.test(bare);
  const digits = bare.replace(/^[(+-]+|[)+-]+$/g, "");
  if (!/^\d[\d.,]*$|^[.,]\d+$/.test(digits)) return null;
  const last =
    decimal === undefined ? Math.max(digits.lastIndexOf("."), digits.lastIndexOf(",")) : digits.lastIndexOf(decimal);
  const [whole, cents] = last < 0 ? [digits, ""] : [digits.slice(0, last), digits.slice(last + 1)];
  // A separator followed by three digits groups thousands only if it occurs more than once.
  const isGrouping = decimal === undefined && cents.length === 3 && digits.indexOf(digits[last] ?? "") !== last;
  const plain = whole.replace(/[.,]/g, "");
  const value = isGrouping ? Number(`${plain}${cents}`) : Number(`${plain || "0"}.${cents || "0"}`);
  return Number.isFinite(value) ? (isNegative && value !== 0 ? -value : value) : null;
}

export type DecimalSeparator = "." | ",";
