/** A Markdown table. */
export interface Column<T> {
  readonly head: string;
  readonly cell: (row: T) => string;
  /** Numbers are right-aligned. */
  readonly number?: boolean;
}

export function formatTable<T>(columns: readonly Column<T>[], rows: readonly T[]): string {
  const laid = columns.map(({ head, cell, number = false }) => {
    const cells = [head, ...rows.map(cell)];
    const width = Math.max(...cells.map(({ length }) => length));
    return {
      cells: cells.map((text) => (number ? text.padStart(width) : text.padEnd(width))),
      rule: number ? `${"-".repeat(width + 1)}:` : "-".repeat(width + 2),
    };
  });
  const formatLine = (n: number): string => `| ${laid.map(({ cells }) => cells[n]).join(" | ")} |`;
  return [formatLine(0), `|${laid.map(({ rule }) => rule).join("|")}|`, ...rows.map((_, n) => formatLine(n + 1))].join(
    "\n",
  );
}

export const count = (value: number): string => value.toLocaleString("en");
export const formatPercent = (part: number): string => `${(100 * part).toFixed(1)} %`;
