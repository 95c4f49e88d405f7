/** A table for people, as Markdown. */
export interface Column<T> {
  readonly head: string;
  readonly cell: (row: T) => string;
  /** Numbers end where their column ends. */
  readonly number?: boolean;
}

export function tableOf<T>(columns: readonly Column<T>[], rows: readonly T[]): string {
  const laid = columns.map(({ head, cell, number = false }) => {
    const cells = [head, ...rows.map(cell)];
    const width = Math.max(...cells.map(({ length }) => length));
    return {
      cells: cells.map((text) => (number ? text.padStart(width) : text.padEnd(width))),
      rule: number ? `${"-".repeat(width + 1)}:` : "-".repeat(width + 2),
    };
  });
  const line = (n: number): string => `| ${laid.map(({ cells }) => cells[n]).join(" | ")} |`;
  return [line(0), `|${laid.map(({ rule }) => rule).join("|")}|`, ...rows.map((_, n) => line(n + 1))].join("\n");
}

export const count = (value: number): string => value.toLocaleString("en");
export const percent = (part: number): string => `${(100 * part).toFixed(1)} %`;
