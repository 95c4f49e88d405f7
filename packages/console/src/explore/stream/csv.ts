import type { Json } from "@pdpp/contract/declaration";

/** CSV (RFC 4180), protected against formula injection. */

/** Spreadsheets treat such a cell as a formula; an apostrophe makes it text. Plain numbers are left alone. */
const formulaStart = /^[=+\-@\t\r\n]/;
const plainNumber = /^[+-]?\d+([.,]\d+)?$/;

function formatCell(value: Json | undefined): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return formulaStart.test(text) && !plainNumber.test(text) ? `'${text}` : text;
}

export const formatCsvLine = (values: readonly (Json | undefined)[]): string =>
  `${values
    .map((value) => {
      const text = formatCell(value);
      return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    })
    .join(",")}\r\n`;
