import type { Json } from "@pdpp/contract/declaration";

/** CSV (RFC 4180), protected against formula injection. */

/** Spreadsheets treat such a cell as a formula, also in full width; an apostrophe makes it text. Plain numbers are left alone. */
const formula = "[=+\\-@\\t\\uff1d\\uff0b\\uff0d\\uff20]";
const formulaStart = new RegExp(`^\\s*${formula}|^[\\r\\n]`);
/** Some spreadsheets separate cells by semicolons, tabs or bars. They see a cell there, whatever is quoted, and skip quotes at its start. */
const laterFormulaStart = new RegExp(`([;|\\t\\r\\n](?:"|[^\\S\\t\\r\\n])*)(?=${formula})`, "g");
const plainNumber = /^[+-]?\d+([.,]\d+)?$/;

function formatCell(value: Json | undefined): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (plainNumber.test(text)) return text;
  return text.replace(formulaStart, "'$&").replace(laterFormulaStart, "$1'");
}

export const formatCsvLine = (values: readonly (Json | undefined)[]): string =>
  `${values
    .map((value) => {
      const text = formatCell(value);
      return /[",;|\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    })
    .join(",")}\r\n`;
