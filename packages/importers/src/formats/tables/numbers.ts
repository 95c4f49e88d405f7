import type { DecimalSeparator } from "../../core/records/money.ts";

/** Recognizes numbers in a table and how they are written. */

const plain = /^[(+-]?(?:\d{1,15}|\d{1,3}([.,'’ \u00a0\u202f])\d{3}(?:\1\d{3})*)?([.,]\d+)?[)-]?$/;

/** Excludes phone numbers, IP addresses and numbers too long to represent. */
export function isNumber(text: string): boolean {
  const bare = text
    .replaceAll("−", "-")
    .trim()
    .replace(/^([(+-]?)\s?(?:[$€£¥]|[A-Z]{3})\s?|\s?(?:[$€£¥]|[A-Z]{3})$/g, "$1");
  const isAddress = /^\d{1,3}(\.\d{1,3}){3}$/.test(bare);
  return plain.test(bare) && /\d/.test(bare) && !isAddress && !/^\+\d{7}|^0\d/.test(bare);
}

/** The decimal separator, if unambiguous; null if it could be a thousands separator. */
function findSeparator(text: string): DecimalSeparator | null {
  const [first, ...more] = text.match(/[.,]/g) ?? [];
  const last = more.at(-1) ?? first;
  if (last !== "." && last !== ",") return null;
  if (first !== last) return last;
  if (more.length > 0) return last === "." ? "," : ".";
  return /^\D*([1-9]\d{0,2})[.,]\d{3}\D*$/.test(text) ? null : last;
}

/** The decimal separator of most unambiguous values. */
export function findDecimalSeparator(values: readonly unknown[]): DecimalSeparator | undefined {
  const counts = { ".": 0, ",": 0 };
  for (const value of values) {
    const sign = typeof value === "string" && isNumber(value) ? findSeparator(value) : null;
    if (sign !== null) counts[sign] += 1;
  }
  return counts["."] === counts[","] ? undefined : counts["."] > counts[","] ? "." : ",";
}
