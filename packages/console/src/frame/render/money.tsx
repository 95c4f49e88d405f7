import type { Html } from "../frame.tsx";
import { formatDecimals } from "./decimals.ts";
import { renderText } from "./values.tsx";

/** Formats an amount with as many decimals as its currency has. */
export function formatMoney(value: number, currency: string | undefined): string {
  const digits = countDecimals(currency);
  // The true minus sign has the width of a digit.
  const text = formatDecimals(Math.abs(value), digits, digits);
  return `${value < 0 ? "−" : ""}${text}${currency === undefined ? "" : ` ${currency}`}`;
}

export const renderAmount = (value: number, currency: string | undefined): Html => (
  <data value={String(value)}>{renderText(formatMoney(value, currency))}</data>
);

/** Kept, because looking them up takes longer than formatting the amount. */
const knownDecimals = new Map<string, number>();
const maxKnown = 200;

function countDecimals(currency: string | undefined): number {
  if (currency === undefined || !/^[A-Z]{3}$/.test(currency)) return 2;
  const known = knownDecimals.get(currency);
  if (known !== undefined) return known;
  const { maximumFractionDigits: decimals = 2 } = new Intl.NumberFormat("en", {
    style: "currency",
    currency,
  }).resolvedOptions();
  if (knownDecimals.size >= maxKnown) knownDecimals.clear();
  knownDecimals.set(currency, decimals);
  return decimals;
}
