import { type Delimiter, readCsvRows } from "../../core/parsing/csv.ts";
import { parseAmount } from "../../core/records/money.ts";
import { cleanText } from "../../core/text/clean.ts";
import type { Entry } from "../../tree/tree.ts";
import type { Source } from "./mapping-file.ts";
import { isTime } from "./times.ts";

/** Finds the table in an unknown CSV file. */

const delimiters: readonly Delimiter[] = [",", ";", "\t", "|"];

/** Rows examined; banks write up to twenty lines before a table. */
const maxRows = 60;

/**
 * Chooses the delimiter that gives the widest table: a decimal comma splits rows too, but into fewer parts. Other
 * lines may precede and follow the table.
 */
export async function findCsvSource(entry: Entry): Promise<Source | undefined> {
  if (!/\.(csv|tsv|txt)$/i.test(entry.path)) return undefined;
  const found: { delimiter: Delimiter; columns: string[]; start: number }[] = [];
  for (const delimiter of delimiters) {
    const rows: (readonly string[])[] = [];
    for await (const { fields } of readCsvRows(entry, delimiter)) {
      rows.push(fields);
      if (rows.length >= maxRows) break;
    }
    const header = findHeader(rows);
    if (header !== undefined) found.push({ delimiter, ...header });
  }
  const [widest] = found.toSorted((a, b) => b.columns.length - a.columns.length || a.start - b.start);
  return widest === undefined ? undefined : { kind: "csv", delimiter: widest.delimiter, columns: widest.columns };
}

/** The first row as wide as most rows after it, if it names columns; one or two may be unnamed. */
function findHeader(rows: readonly (readonly string[])[]): { columns: string[]; start: number } | undefined {
  const widths = [...new Set(rows.map(({ length }) => length))].filter((width) => width >= 2).sort((a, b) => b - a);
  for (const width of widths) {
    const start = rows.findIndex(({ length }) => length === width);
    const table = rows.slice(start);
    const even = table.filter(({ length }) => length === width).length;
    const columns = (table[0] ?? []).map((name) => cleanText(name.trim()));
    const named = columns.filter((name) => name !== "");
    const isHeader = named.every((name) => name.length < 100 && parseAmount(name) === null && !isTime(name));
    if (even >= 2 && even * 2 > table.length && isHeader && named.length >= Math.max(2, width - 2))
      return { columns, start };
  }
  return undefined;
}
